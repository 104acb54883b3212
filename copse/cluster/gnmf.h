// Graph-regularized NMF [Cai et al. 2011]: min |X - W H|^2 + lambda tr(H L H'),  W, H >= 0, where L = D - S is the
// Laplacian of a graph of the items: neighbours get similar coefficients.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "copse/matrix/data.h"
#include "copse/matrix/sparse.h"
#include "copse/nmf/nmf.h"

namespace copse {

enum class GnmfSolver {
  multiplicative,  // as published; W and H are scaled to unit columns of W at the end
  hals             // coordinates one after the other, with |w_c| <= 1, without which the penalty could be made as small
                   // as one likes by the scale of H
};

struct GnmfIteration {
  int number = 0;
  double objective = 0;
  double seconds = 0;
};

struct GnmfOptions {
  Index rank = 0;       // required: 1 <= rank <= min(rows, cols)
  double lambda = 100;  // as published, for items of unit length
  GnmfSolver solver = GnmfSolver::multiplicative;
  int max_iterations = 300;
  double tolerance = 1e-5;  // stop when ten iterations lower the objective by less than this share of it
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  std::uint64_t seed = 0;                                       // same seed, same bits, any number of threads
  std::function<bool(const GnmfIteration&)> progress = {};      // once per iteration; false asks to stop
};

template <class T>
struct GnmfResult {
  Matrix<T> w;                         // rows x k, columns of unit length; a dead component is zero in both factors
  Matrix<T> h;                         // cols x k (H')
  double objective = 0;                // before that scaling: of the last iteration
  double relative_error = 0;           // |X - W H| / |X|
  std::vector<GnmfIteration> history;  // the objective never rises by more than round-off
  StopReason stop_reason = StopReason::max_iterations;
};

// graph: S, items x items, symmetric, not negative. Throws InvalidArgument for a bad rank, option or graph, and
// Cancelled if stopped before the first iteration is complete.
template <class T>
GnmfResult<T> gnmf(const Data<T>& x, SparseView<T> graph, const GnmfOptions& options);

}  // namespace copse
