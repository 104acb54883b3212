// Sparse times skinny: the product that every method spends its time in.
#pragma once

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// In which order a sum is made: the quickest for so many columns of F; or one in which the bits of a column of the
// product depend on its own column of F only.
enum class Sums { quickest, by_column };

// out = X' F (cols x k): row j of out is the sum of value * F.row(i) over the entries (i, value) of column j.
// The other direction, X F, is the same function on the transposed matrix.
template <class T>
void transpose_times(SparseView<T> x, const Matrix<T>& f, Matrix<T>& out, Sums sums = Sums::quickest);

// The rows of out from first_row on += those of X' F from first_column on, as many as `columns`. Runs on the calling
// thread alone.
template <class T>
void add_transpose_times(SparseView<T> x, Index first_column, Index columns, const Matrix<T>& f, Matrix<T>& out,
                         Index first_row, Sums sums = Sums::quickest);

}  // namespace copse
