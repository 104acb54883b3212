// Row numbers of X by frequency, for products X'W with few columns.
#pragma once

#include <span>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// Rows of a narrow W share cache lines. When the rows of X are numbered by frequency, frequent rows share their lines
// with frequent rows only, and the nearest caches serve more of the reads. The price is a copy of all row numbers.
template <class T>
class FrequentRows {
 public:
  FrequentRows() = default;
  // `order`: the rows of x, frequent ones first.
  FrequentRows(SparseView<T> x, std::span<const RowIndex> order);

  // out = X'W, the same bits as transpose_times() has for the x that this was made from.
  void transpose_times(SparseView<T> x, const Matrix<T>& w, Matrix<T>& out) const;

 private:
  std::vector<RowIndex> order_;
  Buffer<RowIndex> numbers_;  // by entry of x: its row, numbered as in order_
};

}  // namespace copse
