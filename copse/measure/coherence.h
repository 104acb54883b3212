// Coherence of topics: do a topic's top terms occur in the same documents?
#pragma once

#include <span>
#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

struct CoherenceOptions {
  Index terms = 20;      // a topic's terms that count; a shorter topic counts with all it has
  double smoothing = 1;  // mu, above zero
};

// For each topic, given as features with the best first: sum over i <= j of log((D(f_i, f_j) + mu) / D(f_i))
// [Kuang 2014, eq. 64, after Mimno et al. 2011], where D counts the items in which all the named features are not zero.
// As printed, the sum includes j = i; that adds log(1 + mu / D(f_i)). The sum skips a feature that occurs nowhere.
// Throws InvalidArgument for a feature that is not in the data.
template <class T>
std::vector<double> coherence(const Dataset<T>& data, std::span<const std::vector<Index>> topics,
                              const CoherenceOptions& options = {});

}  // namespace copse
