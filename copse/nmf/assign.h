// New items into a finished factorization.
#pragma once

#include <span>

#include "copse/matrix/data.h"

namespace copse {

// H' (cols x k) of min |X - w0 1' - W H|^2 + beta sum_j |H(:,j)|_1^2, H >= 0, exactly. `baseline` is w0, or empty.
// Throws InvalidArgument where w or the baseline has another number of features than x.
template <class T>
Matrix<T> assign_items(const Data<T>& x, const Matrix<T>& w, std::span<const T> baseline = {}, double beta = 0);

}  // namespace copse
