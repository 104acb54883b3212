// |X - W H| without X - W H: |X|^2 - 2 <X H', W> + <W'W, H H'>.
#pragma once

#include <span>

#include "copse/matrix/data.h"

namespace copse {

// From its parts; `cross` is <X H', W> = <X'W, H'>. 0 where round-off makes it negative.
double squared_error(double squared_norm, double cross, const Matrix<double>& w_gram, const Matrix<double>& h_gram);

// |X - w0 1' - W H| / |X|, 0 where X = 0. h is H' (cols x k), `baseline` is w0 or empty. One read of X. The difference
// of large numbers leaves an error good to about 1e-3 for float and 1e-7 for double.
template <class T>
double relative_error(const Data<T>& x, const Matrix<T>& w, const Matrix<T>& h, std::span<const T> baseline = {});

}  // namespace copse
