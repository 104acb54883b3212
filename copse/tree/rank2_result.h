// What a rank-2 NMF of the items of one node gives.
#pragma once

#include "copse/matrix/dense.h"
#include "copse/nmf/options.h"

namespace copse {

template <class T>
struct Rank2Result {
  Matrix<T> w;        // terms x 2, columns of unit 2-norm
  Matrix<T> h;        // items x 2 (H'), the exact minimiser for w
  double inner = 0;   // w1'w2
  double fitted = 0;  // |W H|^2; |X - W H|^2 = |X|^2 - fitted
  int iterations = 0;
  double entries_read = 0;  // of the data, in all reads, those of the start and of the sample included
  // |projected gradient| of W at the result, divided by its first value. H is the exact minimiser for this W, so that
  // its own projected gradient is zero: W and H belong to one point.
  double projected_gradient_ratio = 0;
  StopReason stop_reason = StopReason::converged;
};

}  // namespace copse
