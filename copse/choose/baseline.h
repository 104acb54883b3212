// A baseline that all items share, in the data itself.
#pragma once

#include <span>

#include "copse/matrix/dataset.h"

namespace copse {

// With X these items of the data, the share of |X|^2 that a constant for each feature explains,
// 1 - |X - w0 1'|^2 / |X|^2, where w0_i is what all items but a tenth have at least: the value at place floor(n / 10)
// of the feature's sorted values. 0 for sparse data and where X = 0. A feature that more than a tenth of the items lack
// adds nothing.
template <class T>
double baseline_share(const Dataset<T>& data, std::span<const Index> items);

inline constexpr double large_baseline = 0.6;  // from here on, a baseline of its own helps NMF

}  // namespace copse
