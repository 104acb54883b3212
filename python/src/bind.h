// The parts of the module copse._copse, one file per subject, and what they share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "copse/matrix/dataset.h"

namespace copse::python {

namespace nb = nanobind;

void bind_threads(nb::module_& module);
void bind_items(nb::module_& module);
void bind_settings(nb::module_& module);
void bind_text(nb::module_& module);
void bind_flat_results(nb::module_& module);
void bind_tree_results(nb::module_& module);
void bind_graphs(nb::module_& module);
void bind_survey(nb::module_& module);
void bind_images(nb::module_& module);
void bind_results(nb::module_& module);
void bind_data(nb::module_& module);

template <class T, int dimensions>
using Array = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

// An array of NumPy's that owns `values`, a container with data().
template <class Values>
nb::object to_numpy(Values values, std::vector<std::size_t> shape) {
  using T = std::remove_cvref_t<decltype(*values.data())>;
  auto* owned = new Values(std::move(values));
  const nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<Values*>(pointer); });
  return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner));
}

template <class T>
nb::object to_numpy(std::vector<T> values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

template <class T>
nb::object to_numpy(Matrix<T> matrix) {
  const std::vector<std::size_t> shape = {static_cast<std::size_t>(matrix.rows()),
                                          static_cast<std::size_t>(matrix.cols())};
  return to_numpy(std::move(matrix), shape);
}

template <class T>
Matrix<T> to_matrix(const Array<T, 2>& array) {
  Matrix<T> matrix;
  matrix.reshape(static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)));
  std::copy_n(array.data(), array.size(), matrix.data());
  return matrix;
}

// Rows are items: {"indptr", "indices", "data", "shape"} of a CSR matrix or {"dense"}, and the names.
template <class T>
nb::dict to_dict(Dataset<T> data) {
  nb::dict out;
  out["shape"] = nb::make_tuple(data.items(), data.features());
  if (auto* sparse = std::get_if<SparseMatrix<T>>(&data.values)) {
    const std::size_t nonzeros = sparse->values.size(), offsets = sparse->offsets.size();
    out["indptr"] = to_numpy(std::move(sparse->offsets), {offsets});
    out["indices"] = to_numpy(std::move(sparse->indices), {nonzeros});
    out["data"] = to_numpy(std::move(sparse->values), {nonzeros});
  } else {
    out["dense"] = to_numpy(std::move(std::get<Matrix<T>>(data.values)));
  }
  out["feature_names"] = std::move(data.feature_names);
  out["item_names"] = std::move(data.item_names);
  return out;
}

}  // namespace copse::python
