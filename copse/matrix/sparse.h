// A sparse matrix in compressed columns: 64-bit offsets, 32-bit row numbers. A column is an item.
#pragma once

#include <span>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/base/index.h"

namespace copse {

// What kernels read: arrays that somebody else owns. Column j holds entries offsets[j] ... offsets[j + 1] - 1. A run of
// neighbouring columns is a view with fewer offsets and the same entries.
template <class T>
struct SparseView {
  Index rows = 0;
  Index cols = 0;
  std::span<const Index> offsets;  // cols + 1
  std::span<const RowIndex> indices;
  std::span<const T> values;

  Index nonzeros() const { return offsets.empty() ? 0 : offsets.back() - offsets.front(); }
};

template <class T>
struct SparseMatrix {
  Index rows = 0;
  Index cols = 0;
  Buffer<Index> offsets = Buffer<Index>(1, 0);
  Buffer<RowIndex> indices = {};  // ascending within a column, each at most once
  Buffer<T> values = {};

  Index nonzeros() const { return static_cast<Index>(values.size()); }
  operator SparseView<T>() const { return {rows, cols, offsets, indices, values}; }

  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;
};

// X': its columns are the rows of x. Parallel; row numbers come out ascending. x.cols must fit in 32 bits.
template <class T>
SparseMatrix<T> transpose(SparseView<T> x);

// The given columns of x, in the given order.
template <class T>
SparseMatrix<T> select_columns(SparseView<T> x, std::span<const Index> columns);

// Renumbers the rows that have entries. Returns the old number of each, ascending.
template <class T>
std::vector<Index> drop_empty_rows(SparseMatrix<T>& x);

}  // namespace copse
