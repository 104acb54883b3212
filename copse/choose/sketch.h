// How many columns the sketch of components has that a run keeps (RunRecord::components).
#pragma once

#include <algorithm>

#include "copse/base/index.h"

namespace copse {

inline constexpr Index sketch_width = 512;

inline Index sketch_columns(Index features) { return std::min(sketch_width, features); }

}  // namespace copse
