// How far clusters of other items foretell the clusters of these: prediction strength [Tibshirani & Walther 2005],
// recurrence, which many clusters can have as well, and how many clusters come back.
#pragma once

#include <span>

#include "copse/base/index.h"

namespace copse {

// The least, over the k clusters that were found, of the share of ordered pairs of items of a cluster that the
// prediction puts together as well. A cluster with fewer than two items counts as 0: nothing of it was foretold. Labels
// are 0 ... k - 1, or -1 for an item without a cluster, which is together with none. Throws InvalidArgument for lengths
// that differ, labels out of range and k < 1.
double prediction_strength(std::span<const Index> found, std::span<const Index> predicted, Index k);

// Prediction strength knows no chance: where nearly all items are in one cluster, nearly all pairs stay together. And
// with many clusters there is always one that was not foretold. Here s_c, the share of pairs of cluster c that stay
// together, is set against q, the share of all pairs that the prediction puts together:
//   r_c = max(0, (s_c - q) / (1 - q)),
// 0 if the prediction has nothing to do with the cluster, 1 if all of its pairs stay together. The result is the mean
// of r_c over the worse half of the clusters, where a cluster weighs as its share of the items and 1 / k: neither tiny
// clusters alone decide, nor do they go for nothing. Two clusters of one size: that of the worse. 0 where q is 1, as
// for k = 1. Labels and exceptions as above.
double recurrence(std::span<const Index> found, std::span<const Index> predicted, Index k);

// How many of the k clusters come back: those that share more than half with a predicted cluster, of the items that are
// in one of the two (Jaccard's index, as [Hennig 2007] has it, above 1/2, where no two can claim the same one). Labels
// and exceptions as above.
Index returning_clusters(std::span<const Index> found, std::span<const Index> predicted, Index k);

}  // namespace copse
