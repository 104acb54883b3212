// NMF of items that come in batches, each seen once. W needs two sums of the past: A = sum h h' and B = sum x h'
// [Mairal et al. 2010].
#pragma once

#include "copse/matrix/data.h"

namespace copse {

template <class T>
struct OnlineNmf {
  Matrix<T> w;       // rows x k, columns of unit 2-norm, or zero
  Matrix<double> a;  // k x k
  Matrix<T> b;       // rows x k
};

// Takes a batch in: H of its items is the exact minimiser for W; A <- keep A + H H' and B <- keep B + X H'; then W is
// the exact minimiser of <W'W, A> - 2 <W, B>, W >= 0: the least error over all that is kept, had its H stayed. A
// component that no item has keeps its column. With keep = 1 nothing is forgotten. Returns H' (cols x k) for the new W.
// Throws InvalidArgument unless the shapes agree and 0 <= keep <= 1.
template <class T>
Matrix<T> take_in(OnlineNmf<T>& model, const Data<T>& x, double keep);

}  // namespace copse
