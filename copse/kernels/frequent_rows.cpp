#include "copse/kernels/frequent_rows.h"

#include <algorithm>
#include <cassert>

#include "copse/base/parallel.h"
#include "copse/kernels/sparse_product.h"

namespace copse {
namespace {

constexpr Index entries_per_block = 262144;
constexpr Index rows_per_block = 16384;

}  // namespace

template <class T>
FrequentRows<T>::FrequentRows(SparseView<T> x, std::span<const RowIndex> order)
    : order_(order.begin(), order.end()), numbers_(x.indices.size()) {
  assert(static_cast<Index>(order.size()) == x.rows);
  Buffer<RowIndex> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<RowIndex>(i);
  parallel_blocks(x.nonzeros(), entries_per_block, [&](Index begin, Index end) {
    for (Index p = x.offsets.front() + begin; p < x.offsets.front() + end; ++p) numbers_[p] = number[x.indices[p]];
  });
}

template <class T>
void FrequentRows<T>::transpose_times(SparseView<T> x, const Matrix<T>& w, Matrix<T>& out) const {
  assert(x.indices.size() == numbers_.size());
  Matrix<T> sorted;
  sorted.reshape(w.rows(), w.cols());
  parallel_blocks(w.rows(), rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto row = w.row(order_[i]);
      std::copy(row.begin(), row.end(), sorted.row(i).begin());
    }
  });
  x.indices = numbers_;
  copse::transpose_times(x, sorted, out);
}

template class FrequentRows<float>;
template class FrequentRows<double>;

}  // namespace copse
