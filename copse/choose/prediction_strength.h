// Prediction strength [Tibshirani & Walther 2005]: how far clusters of other items foretell the clusters of these.
#pragma once

#include <span>

#include "copse/base/index.h"

namespace copse {

// The least, over the k clusters that were found, of the share of ordered pairs of items of a cluster that the
// prediction puts together as well. A cluster with fewer than two items counts as 0: nothing of it was foretold. Labels
// are 0 ... k - 1, or -1 for an item without a cluster, which is together with none. Throws InvalidArgument for lengths
// that differ, labels out of range and k < 1.
double prediction_strength(std::span<const Index> found, std::span<const Index> predicted, Index k);

}  // namespace copse
