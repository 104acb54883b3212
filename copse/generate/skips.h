// Choosing each of many candidates with the same small probability, in time that depends on how many are chosen.
#pragma once

#include <cmath>

#include "copse/base/random.h"

namespace copse {

// Calls choose(c) for c in [begin, end), ascending, each independently with the given probability. The gap to the next
// one is geometric.
template <class Choose>
void choose_each(Index begin, Index end, double probability, Random& random, const Choose& choose) {
  if (!(probability > 0)) return;
  const double log_miss = std::log1p(-probability);  // -infinity for probability 1: no gaps
  for (Index candidate = begin; candidate < end; ++candidate) {
    const double gap = std::floor(std::log1p(-random.uniform()) / log_miss);
    if (gap >= static_cast<double>(end - candidate)) return;
    candidate += static_cast<Index>(gap);
    choose(candidate);
  }
}

}  // namespace copse
