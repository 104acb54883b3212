// Leading eigenvectors of a graph, and the partition that they show.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/matrix/data.h"
#include "copse/matrix/sparse.h"

namespace copse {

template <class T>
struct Eigenpairs {
  std::vector<double> values;  // descending
  Matrix<T> vectors;           // n x count, orthonormal columns
  bool converged = true;       // to the tolerance; else they are what the last iteration had
};

// The largest eigenvalues (with their sign) of a symmetric matrix without negative entries. Subspace iteration with
// Chebyshev filters (Zhou, Saad, Tiago & Chelikowsky 2006) until |A x - value x| <= tolerance * |A|; a small matrix is
// solved exactly. Repeated eigenvalues are found as often as they occur.
template <class T>
Eigenpairs<T> leading_eigenpairs(const Data<T>& a, Index count, std::uint64_t seed, double tolerance = 1e-3);

// Those of a sparse matrix, each connected component by itself. The first of every component comes before the second
// of any, so that no component is without one where there are `count` components or fewer: with the papers' scaling
// the first ones all have the value 1, with damped degrees that of a dense component's second may be larger than that
// of a sparse one's first.
template <class T>
Eigenpairs<T> leading_eigenpairs_by_component(SparseView<T> a, Index count, std::uint64_t seed,
                                              double tolerance = 1e-3);

// Labels from the rows of k leading eigenvectors (Damle, Minden & Ying 2019): rows chosen by a QR factorization with
// pivots stand for the clusters, and the rotation nearest to them turns every row towards its own. A row of zeros has
// label -1.
template <class T>
std::vector<Index> cluster_qr(const Matrix<T>& vectors);

// Orthonormal columns with the same span, spread as `a` is; columns that add nothing to it become zero.
template <class T>
Matrix<T> orthonormal(const Data<T>& a, Matrix<T> f);

// F M for a small matrix M.
template <class T>
Matrix<T> times_small(const Matrix<T>& f, const Matrix<double>& small);

}  // namespace copse
