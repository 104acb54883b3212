// Row numbers of X by frequency, for products X'W with few columns.
#pragma once

#include <span>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// Rows of a narrow W share cache lines. With the rows of X numbered by frequency the lines that are read most hold
// nothing else, and more of what is read is found in the nearest caches. The price is a copy of all row numbers.
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
