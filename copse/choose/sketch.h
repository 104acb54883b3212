// The sketch of components that a run keeps (RunRecord::components): few columns, and about the same cosines.
#pragma once

#include <algorithm>

#include "copse/matrix/dense.h"

namespace copse {

inline constexpr Index sketch_width = 512;

inline Index sketch_columns(Index features) { return std::min(sketch_width, features); }

// k x features -> k x sketch_columns(features). Rows of unit length, or zero; each feature added to one of a few
// columns with a sign of its own: inner products are kept on average (count sketch). Exact where there are no more
// features.
template <class T>
Matrix<float> sketch(const Matrix<T>& components);

}  // namespace copse
