#include "python/src/items.h"

#include <atomic>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse::python {
namespace {

constexpr Index items_per_block = 1024;

// Returns whether the row numbers ascend in every column.
template <class T>
bool check_structure(const SparseView<T>& x) {
  const auto wrong = [](const char* sentence) { throw InvalidArgument(sentence); };
  if (x.rows < 0 || x.rows > std::numeric_limits<RowIndex>::max())
    wrong("A matrix may have 2^31 - 1 features at most.");
  if (x.offsets.empty() || x.offsets.front() != 0 || x.offsets.back() != static_cast<Index>(x.values.size()) ||
      x.indices.size() != x.values.size())
    wrong("The arrays indptr, indices and data of the sparse matrix do not belong together.");
  for (Index j = 0; j < x.cols; ++j) {
    if (x.offsets[j] > x.offsets[j + 1]) wrong("The array indptr of the sparse matrix does not ascend.");
  }
  std::atomic<bool> inside{true}, ascending{true};
  parallel_blocks(x.cols, items_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      RowIndex before = -1;
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) {
        const RowIndex i = x.indices[p];
        if (i < 0 || i >= x.rows) inside = false;
        if (i <= before) ascending = false;
        before = i;
      }
    }
  });
  if (!inside) wrong("The sparse matrix has a column number outside its shape.");
  return ascending;
}

// Entries of the same row and column stand side by side.
template <class T>
void add_up_repeated(SparseMatrix<T>& x) {
  Index kept = 0, begin = 0;
  for (Index j = 0; j < x.cols; ++j) {
    const Index end = x.offsets[j + 1], first = kept;
    for (Index p = begin; p < end; ++p) {
      if (kept > first && x.indices[kept - 1] == x.indices[p]) {
        x.values[kept - 1] += x.values[p];
      } else {
        x.indices[kept] = x.indices[p];
        x.values[kept++] = x.values[p];
      }
    }
    begin = end;
    x.offsets[j + 1] = kept;
  }
  x.indices.resize(static_cast<std::size_t>(kept));
  x.values.resize(static_cast<std::size_t>(kept));
}

template <class T>
std::span<const T> span_of(const Array<T, 1>& array) {
  return {array.data(), array.size()};
}

template <class T>
void bind_items_of(nb::module_& module, const char* name) {
  nb::class_<Items<T>>(module, name)
      .def(nb::init<Index, Array<std::int64_t, 1>, Array<std::int32_t, 1>, Array<T, 1>, int>(), nb::arg("features"),
           nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("data").noconvert(),
           nb::arg("threads"))
      .def(nb::init<const Array<T, 2>&, int>(), nb::arg("rows").noconvert(), nb::arg("threads"))
      .def_prop_ro("features", &Items<T>::features)
      .def_prop_ro("items", &Items<T>::items)
      .def_prop_ro("squared_norm", &Items<T>::squared_norm);
}

}  // namespace

template <class T>
Items<T>::Items(Index features, Array<std::int64_t, 1> offsets, Array<std::int32_t, 1> indices, Array<T, 1> values,
                int threads)
    : arrays_(Arrays{std::move(offsets), std::move(indices), std::move(values)}) {
  const nb::gil_scoped_release no_gil;
  const auto& arrays = *arrays_;
  view_ = {features, static_cast<Index>(arrays.offsets.size()) - 1, span_of<std::int64_t>(arrays.offsets),
           span_of<std::int32_t>(arrays.indices), span_of<T>(arrays.values)};
  with_threads(threads, nullptr, [&] {
    if (!check_structure(view_)) {
      sorted_ = transpose<T>(transpose(view_));
      add_up_repeated(sorted_);
      view_ = sorted_;
    }
    data_ = std::make_unique<SparseData<T>>(view_);
    squared_norm_ = data_->squared_norm();
  });
}

template <class T>
Items<T>::Items(const Array<T, 2>& rows, int threads) {
  const nb::gil_scoped_release no_gil;
  dense_ = to_matrix(rows);
  data_ = std::make_unique<DenseData<T>>(dense_);
  with_threads(threads, nullptr, [&] { squared_norm_ = data_->squared_norm(); });
}

template <class T>
std::unique_ptr<TreeData<T>> Items<T>::tree_data() const {
  return arrays_ ? copse::tree_data(view_) : copse::tree_data(dense_);
}

template <class T>
Dataset<T> Items<T>::dataset() const {
  if (!arrays_) return {.values = dense_};
  SparseMatrix<T> matrix{.rows = view_.rows, .cols = view_.cols};
  matrix.offsets.assign(view_.offsets.begin(), view_.offsets.end());
  matrix.indices.assign(view_.indices.begin(), view_.indices.end());
  matrix.values.assign(view_.values.begin(), view_.values.end());
  return {.values = std::move(matrix)};
}

template class Items<float>;
template class Items<double>;

void bind_items(nb::module_& module) {
  bind_items_of<float>(module, "ItemsFloat");
  bind_items_of<double>(module, "ItemsDouble");
}

}  // namespace copse::python
