// A node's topic: one column of W as a ranked list of terms.
#pragma once

#include <vector>

#include "copse/matrix/numbers.h"

namespace copse {

// Weights of a topic of norm 1 that are no larger are what the iteration left of a zero.
inline constexpr double no_weight = 1e-8;

// The terms with a weight above `no_weight`, the heaviest first; equal weights in the order of their numbers.
struct RankedTerms {
  std::vector<RowIndex> terms;
  Numbers weights;  // unit 2-norm

  friend bool operator==(const RankedTerms&, const RankedTerms&) = default;
};

// The topic of column `column` of w, which has unit norm or is zero; row i of w belongs to term terms[i].
template <class T>
RankedTerms rank_terms(const Matrix<T>& w, Index column, std::span<const RowIndex> terms);

}  // namespace copse
