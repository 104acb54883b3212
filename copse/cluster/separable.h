// Separable factorizations: X ~ X(:, A) H, H >= 0, where a few columns of X, the anchors A, express all others. For
// topics give the documents as rows and the terms as columns: an anchor is then a word of one topic only.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"
#include "copse/nmf/nmf.h"

namespace copse {

// How XRAY chooses the next anchor, R being the residual X - X(:, A) H and p = 1 [Kumar et al. 2013]. For the first
// three the score over p'x_j is a convex function on the slice p'x = 1 of the cone, which has its largest value at an
// extreme ray, and R'x <= 0 at the rays that are found: they find the anchors of X = X(:, A) H exactly.
enum class XraySelection {
  rays,   // j with the largest |(R' x_j)_+| / p'x_j
  max,    // j with the largest r_i'x_j / p'x_j, for the column i with the largest |r_i|
  dist,   // the same, for the column i with the largest |(X' r_i)_+|
  greedy  // j with the largest |(R' x_j)_+| / |x_j|: the column that lowers the error most, which need not be a ray
};

struct SeparableIteration {
  int number = 0;             // anchors found, or epochs
  double relative_error = 0;  // |X - X(:, A) H| / |X|; that of Hottopixx is the mean of |x_i - (C X)_i|_1 over rows
  double seconds = 0;
};

struct SeparableOptions {
  Index anchors = 0;  // required: at least 1
  XraySelection selection = XraySelection::rays;
  double time_limit = std::numeric_limits<double>::infinity();   // seconds
  std::function<bool(const SeparableIteration&)> progress = {};  // once per anchor or epoch; false asks to stop
  // Of Hottopixx.
  int epochs = 50;
  double primal_step = 0.1;  // falls by `decay` from epoch to epoch
  double dual_step = 0.01;   // likewise
  double decay = 1;
  double memory_limit = 8e9;  // bytes: its square matrix takes 4 for each pair of columns
  std::uint64_t seed = 0;     // order of the rows of X, and the cost of a column
};

template <class T>
struct SeparableResult {
  std::vector<Index> anchors;  // columns of X, in the order of choice; fewer than asked for where fewer express all
  Matrix<T> h;                 // H' (columns x anchors)
  double relative_error = 0;
  std::vector<SeparableIteration> history;
  StopReason stop_reason = StopReason::converged;
};

// XRAY: extreme rays of the cone of the columns, one after the other. Needs no scaling of the columns. Throws
// InvalidArgument for a negative entry or a bad number, and Cancelled if stopped before the first anchor.
template <class T>
SeparableResult<T> xray(SparseView<T> x, const SeparableOptions& options);

// Hottopixx [Bittorf et al. 2012]: min p'diag(C), where C X ~ X (here the rows of its X are our columns, each divided
// by its sum), 0 <= c_ij <= c_jj <= 1 and tr C = k, by incremental gradients over single features. The anchors have the
// largest c_jj; equal columns count as one, the first. C is a square matrix in memory: throws InvalidArgument where
// that exceeds the limit.
template <class T>
SeparableResult<T> hottopixx(SparseView<T> x, const SeparableOptions& options);

// y nearest to z with 0 <= y_i <= y_d <= 1 for all i, in place [Bittorf et al. 2012, algorithm 5].
void squash(std::span<float> z, Index d);

}  // namespace copse
