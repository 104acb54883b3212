// Half an alternation: one factor from the Gram matrix of the other and the product of X with it.
#pragma once

#include "copse/nmf/options.h"

namespace copse {

struct StepOptions {
  Solver solver = Solver::hals;
  int sweeps = 1;           // hals: at most this many
  bool last_fixed = false;  // the last column of the factor is given (the ones beside H in affine NMF)
};

// g, which holds the factor before, becomes the solver's answer to min |B g - y|, g >= 0 for every row. A coordinate
// with a zero on the diagonal of `gram` has no influence and becomes zero.
template <class T>
void update_factor(const StepOptions& options, const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g);

// Sweeps that pay while the products are fresh (Gillis & Glineur 2012, section 3.1): `inner` is the length of the
// columns that a row of the factor is fitted to, `outer` the number of its rows.
int sweeps_that_pay(Index nonzeros, Index inner, Index outer, Index k);

}  // namespace copse
