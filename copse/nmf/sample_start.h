// A start for large data, from a sample of its items.
#pragma once

#include "copse/nmf/options.h"
#include "copse/nmf/start.h"

namespace copse {

// W from a sample of max(n / 10, 100 k) items, at most n / 2: a few alternations with 2 k components, which miss fewer
// clusters than k would; then the pairs that are most alike are merged until k are left, and a few more alternations.
// H = 0, for the first step to fill. Random where n < 4 k or the data gives no sample.
template <class T>
Factors<T> sample_start(const Data<T>& x, const NmfOptions& options, std::uint64_t seed);

}  // namespace copse
