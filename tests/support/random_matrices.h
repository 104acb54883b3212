// Small random matrices for tests. Integer entries make sums exact in any order, so that equality can be demanded.
#pragma once

#include <cstdint>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse::testing {

// Entries 1 ... 9 with the given density.
template <class T>
SparseMatrix<T> random_integer_sparse(Index rows, Index cols, double density, std::uint64_t seed);

// Entries 0 ... 9.
template <class T>
Matrix<T> random_integer_dense(Index rows, Index cols, std::uint64_t seed);

// Entries uniform in [0, 1).
template <class T>
Matrix<T> random_dense(Index rows, Index cols, std::uint64_t seed);

// x as m x n, row-major, one row per feature.
template <class T>
Matrix<T> to_dense(const SparseMatrix<T>& x);

// The nonzero entries of a matrix with one row per feature.
template <class T>
SparseMatrix<T> to_sparse(const Matrix<T>& x);

}  // namespace copse::testing
