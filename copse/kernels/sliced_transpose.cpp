#include "copse/kernels/sliced_transpose.h"

#include <algorithm>
#include <cassert>

#include "copse/kernels/sparse_product.h"

namespace copse {
namespace {

constexpr Index items_per_slice = 65536;    // measured at k = 2 to 40 with 60 million entries
constexpr Index least_entries_per_row = 8;  // of a slice, on average: each row of a slice costs an offset and a start

Index slice_count(Index rows, Index cols, Index nonzeros) {
  const Index by_items = (cols + items_per_slice - 1) / items_per_slice;
  const Index by_entries = nonzeros / (least_entries_per_row * std::max<Index>(rows, 1));
  return std::max<Index>(1, std::min(by_items, by_entries));
}

}  // namespace

template <class T>
SlicedTranspose<T>::SlicedTranspose(SparseView<T> x) {
  const Index count = slice_count(x.rows, x.cols, x.nonzeros());
  for (Index s = 0; s < count; ++s) {
    const Index begin = x.cols * s / count, end = x.cols * (s + 1) / count;
    SparseView<T> items = x;
    items.cols = end - begin;
    items.offsets = x.offsets.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin + 1));
    slices_.push_back(transpose(items));
  }
}

template <class T>
void SlicedTranspose<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  assert(!slices_.empty());
  if (slices_.size() == 1) return transpose_times<T>(slices_.front(), h, out);
  out = Matrix<T>(slices_.front().cols, h.cols());
  Index first_item = 0;
  for (const SparseMatrix<T>& slice : slices_) {
    add_transpose_times<T>(slice, h, first_item, out);
    first_item += slice.rows;
  }
}

template class SlicedTranspose<float>;
template class SlicedTranspose<double>;

}  // namespace copse
