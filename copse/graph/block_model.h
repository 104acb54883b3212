// Groups by a degree-corrected block model: A ~ Z S Z' with Z >= 0, Z'Z = I, so that each node has one group and one
// weight, and S tells how much groups seek or avoid each other [Dache et al. 2026].
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "copse/graph/symnmf.h"
#include "copse/matrix/sparse.h"

namespace copse {

struct BlockOptions {
  Index rank = 0;  // required: 1 <= rank <= n
  int max_iterations = 100;
  double tolerance = 1e-6;  // stop when |A - Z S Z'|^2 falls by less than this times |A|^2
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  std::function<bool(const SymIteration&)> progress = {};       // once per iteration; false asks to stop
};

template <class T>
struct BlockModel {
  std::vector<Index> labels;  // 0 ... rank - 1; no group is empty
  std::vector<double> z;      // the weight of each node: the entry of Z in its group's column; columns have norm 1
  Matrix<double> s;           // rank x rank, symmetric: Z'A Z
  // n x rank: what |A - Z S Z'|^2 would lose if the node were in each group, divided by the sum of these; rows add up
  // to 1 or 0.
  Matrix<T> memberships;
  std::vector<SymIteration> history;  // projected_gradient_ratio: the fall of the objective, divided by |A|^2
  StopReason stop_reason = StopReason::max_iterations;
  double objective = 0;       // |A - Z S Z'|^2 = |A|^2 - |S|^2
  double relative_error = 0;  // 0 where A = 0
};

// Alternates: every node takes the group and weight that are best for the others as they are, in O(edges x rank); then
// S = Z'A Z. The objective never rises. Nodes with the label -1 in the start get the group that suits them. Throws
// InvalidArgument for a bad rank or option. Cancelled passes through before the first iteration.
template <class T>
BlockModel<T> fit_blocks(SparseView<T> a, const BlockOptions& options, std::vector<Index> start);

// A start for it: where A = Z S Z', the rows of the leading eigenvectors, by the size of their eigenvalues and not by
// their sign, lie on orthogonal rays, one per group. Rays are chosen one after the other, each as the mean of several
// rows that reach furthest in a random direction orthogonal to those chosen before, as in SVCA [Dache et al. 2026].
template <class T>
std::vector<Index> block_start(SparseView<T> a, Index rank, std::uint64_t seed);

}  // namespace copse
