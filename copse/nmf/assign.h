// New items into a finished factorization.
#pragma once

#include <span>

#include "copse/matrix/data.h"

namespace copse {

// H' (cols x k) of min |X - w0 1' - W H|^2 + sum_j (penalty'h_j)^2, H >= 0, exactly: for w, baseline and penalty of an
// NmfResult the problem whose minimiser its h is. `baseline` is w0, or empty; `penalty` has k entries, or none.
// The scale of X does not matter, as for factorize.
// Throws InvalidArgument where w or the baseline has another number of features than x, or the penalty not k entries
// that are finite and not negative.
template <class T>
Matrix<T> assign_items(const Data<T>& x, const Matrix<T>& w, std::span<const T> baseline = {},
                       std::span<const double> penalty = {});

// H' (cols x k) of min D(X | W H), H >= 0, the Kullback-Leibler divergence, to about 1e-6 of the sum of X for float and
// 1e-10 for double.
template <class T>
Matrix<T> assign_items_by_divergence(const Data<T>& x, const Matrix<T>& w);

}  // namespace copse
