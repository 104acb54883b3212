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
  if (x.offsets.empty() || x.offsets.front() != 0 || x.offsets.back() != x.nonzeros() ||
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
      .def(nb::init<const Array<T, 2>&>(), nb::arg("rows").noconvert())
      .def_prop_ro("ascending", &Items<T>::ascending)
      .def_prop_ro("features", &Items<T>::features)
      .def_prop_ro("items", &Items<T>::items)
      .def_prop_ro("squared_norm", [](const Items<T>& x) { return x.data().squared_norm(); });
}

}  // namespace

template <class T>
Items<T>::Items(Index features, Array<std::int64_t, 1> offsets, Array<std::int32_t, 1> indices, Array<T, 1> values,
                int threads)
    : arrays_(Arrays{std::move(offsets), std::move(indices), std::move(values)}) {
  const auto& arrays = *arrays_;
  view_ = {features, static_cast<Index>(arrays.offsets.size()) - 1, span_of<std::int64_t>(arrays.offsets),
           span_of<std::int32_t>(arrays.indices), span_of<T>(arrays.values)};
  with_threads(threads, nullptr, [&] { ascending_ = check_structure(view_); });
  data_ = std::make_unique<SparseData<T>>(view_);
}

template <class T>
Items<T>::Items(const Array<T, 2>& rows) : dense_(to_matrix(rows)), data_(std::make_unique<DenseData<T>>(dense_)) {}

template <class T>
std::unique_ptr<TreeData<T>> Items<T>::tree_data() const {
  return arrays_ ? copse::tree_data(view_) : copse::tree_data(dense_);
}

template class Items<float>;
template class Items<double>;

void bind_items(nb::module_& module) {
  bind_items_of<float>(module, "ItemsFloat");
  bind_items_of<double>(module, "ItemsDouble");
}

}  // namespace copse::python
