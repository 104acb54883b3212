// Sparse times skinny: the product that every method spends its time in.
#pragma once

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// out = X' F (cols x k): row j of out is the sum of value * F.row(i) over the entries (i, value) of column j.
// The other direction, X F, is the same function on the transposed matrix.
template <class T>
void transpose_times(SparseView<T> x, const Matrix<T>& f, Matrix<T>& out);

// out += X' F, where F is the x.rows rows of f from first_row on.
template <class T>
void add_transpose_times(SparseView<T> x, const Matrix<T>& f, Index first_row, Matrix<T>& out);

}  // namespace copse
