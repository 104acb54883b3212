// Data with a little noise: whether components depend on it.
#pragma once

#include <cstdint>

#include "copse/matrix/dataset.h"

namespace copse {

// Every nonzero entry times 1 + e with e uniform in [-most, most], drawn by the item's place and the feature alone;
// zeros stay. Names are left out. 0 < most < 1.
template <class T>
Dataset<T> perturbed(const Dataset<T>& data, double most, std::uint64_t seed);

}  // namespace copse
