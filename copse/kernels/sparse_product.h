// Sparse times skinny: the product that every method spends its time in.
#pragma once

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// out = X' F (cols x k): row j of out is the sum of value * F.row(i) over the entries (i, value) of column j.
// The other direction, X F, is the same function on the transposed matrix.
template <class T>
void transpose_times(SparseView<T> x, const Matrix<T>& f, Matrix<T>& out);

// The rows of out from first_row on += those of X' F from first_column on, as many as `columns`. Runs on the calling
// thread alone.
template <class T>
void add_transpose_times(SparseView<T> x, Index first_column, Index columns, const Matrix<T>& f, Matrix<T>& out,
                         Index first_row);

}  // namespace copse
