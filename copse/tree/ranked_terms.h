// A node's topic: one column of W as a ranked list of terms.
#pragma once

#include <vector>

#include "copse/matrix/dense.h"

namespace copse {

// The terms with a positive weight, the heaviest first; equal weights in the order of their numbers.
template <class T>
struct RankedTerms {
  std::vector<RowIndex> terms;
  std::vector<T> weights;  // unit 2-norm

  friend bool operator==(const RankedTerms&, const RankedTerms&) = default;
};

// The topic of column `column` of w, where row i of w belongs to term terms[i].
template <class T>
RankedTerms<T> rank_terms(const Matrix<T>& w, Index column, std::span<const RowIndex> terms);

}  // namespace copse
