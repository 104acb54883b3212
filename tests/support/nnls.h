// Nonnegative least squares problems of every awkward kind, and what their solutions must satisfy.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "copse/matrix/dense.h"

namespace copse::testing {

// min |B g - y|, g >= 0 for every column y of Y.
struct NnlsProblem {
  std::string name;
  Matrix<double> b;  // m x k
  Matrix<double> y;  // m x n
};

// Random, degenerate, rank-deficient and badly scaled problems with k columns and n right-hand sides.
std::vector<NnlsProblem> nnls_problems(Index k, Index n);

// Rows (B'y)', rounded to T.
template <class T>
Matrix<T> right_hand_sides(const NnlsProblem& problem);

// |B g_r - y_r|^2 for each row of g.
template <class T>
std::vector<double> squared_residuals(const NnlsProblem& problem, const Matrix<T>& g);

// The least |B g - y_r|^2 with g >= 0, by trying every set of columns (k <= 6).
std::vector<double> least_squared_residuals_by_enumeration(const NnlsProblem& problem);

// The same by the textbook: Lawson and Hanson (1974), algorithm NNLS, on B itself with a QR factorization.
std::vector<double> least_squared_residuals_by_lawson_hanson(const NnlsProblem& problem);

// Expects g >= 0, gradient >= 0 and gradient = 0 where g > 0, to `tolerance` times |b_c| |y|, for the Gram matrix and
// the right-hand sides of the problem.
template <class T>
void expect_kkt(const NnlsProblem& problem, const Matrix<T>& g, double tolerance);

template <class T>
using NnlsSolver = std::function<void(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g)>;

// Expects the solver to be exact on all problems with k columns, from a cold and from a random start, with the same
// bits for any number of threads.
template <class T>
void expect_exact(const NnlsSolver<T>& solve, const std::vector<NnlsProblem>& problems);

}  // namespace copse::testing
