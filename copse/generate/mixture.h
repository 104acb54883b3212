// The mixture of Gaussians of [Kim & Park 2008, section 4.2]: clearly separated clusters in many dimensions.
#pragma once

#include <cstdint>

#include "copse/generate/planted.h"

namespace copse {

struct MixtureOptions {
  Index k = 0;  // required: 1 <= k <= items
  Index features = 500;
  Index items = 1000;
  double variance = 0.3;  // of an entry whose mean is not zero; the others are zero
  std::uint64_t seed = 0;
};

// Each feature belongs to one cluster drawn at random, with a mean drawn from {1, 2, 3}; negative entries become zero.
// "Balanced weights" is taken as cluster sizes that differ by one at most; the items stand in random order. Dense.
// Throws InvalidArgument for an option out of range.
template <class T>
Planted<T> generate_mixture(const MixtureOptions& options);

}  // namespace copse
