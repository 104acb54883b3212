// Symmetric nonnegative factorization of a graph: min |A - B B'|^2, B >= 0, for symmetric A [Kuang 2014, chapter 3].
// Seven solvers share one driver: each is a step from one B to the next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/graph/symnmf_options.h"
#include "copse/matrix/data.h"
#include "copse/matrix/sparse.h"
#include "copse/nmf/nmf.h"

namespace copse {

template <class T>
struct SymNmfResult {
  Matrix<T> b;  // n x k
  std::vector<SymIteration> history;
  StopReason stop_reason = StopReason::max_iterations;
  double objective = 0;       // |A - B B'|^2
  double relative_error = 0;  // 0 where A = 0
  double projected_gradient_ratio = 0;
};

// Uniform entries, scaled so that |A - s^2 B B'| is least. Every row has its own stream: threads do not matter.
// `gradient` gets sym_gradient_norm() there, which costs little here.
template <class T>
Matrix<T> random_sym_start(const Data<T>& a, Index rank, std::uint64_t seed, double* gradient = nullptr);

// One column per group: on the block of A within group c, the root of the leading eigenvalue times its eigenvector, by
// a few power iterations. Entries outside of a node's group are zero, which no solver here holds on to. A node with
// label -1 has a row of zeros.
template <class T>
Matrix<T> partition_start(SparseView<T> a, std::span<const Index> labels, Index rank);

// |projected gradient| of the objective at b, [Kuang 2014, eq. 17]: 4 (B B'B - A B), where b is zero its negative part
// only.
template <class T>
double sym_gradient_norm(const Data<T>& a, const Matrix<T>& b);

// A must be symmetric; only its products are used. Throws InvalidArgument for a bad rank or option, for coordinate
// descent (which reads single entries) and for newton with n >= 3000. Cancelled passes through before the first
// iteration; after that the last iterate comes back with StopReason::interrupted.
template <class T>
SymNmfResult<T> factorize_symmetric(const Data<T>& a, const SymNmfOptions& options, Matrix<T> start);

// The same for a sparse matrix in memory, with every solver.
template <class T>
SymNmfResult<T> factorize_symmetric(SparseView<T> a, const SymNmfOptions& options, Matrix<T> start);

}  // namespace copse
