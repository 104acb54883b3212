// The variation within clusters, which the gap statistic compares with that of data without clusters.
#pragma once

#include <span>

#include "copse/choose/linkage.h"
#include "copse/matrix/dataset.h"

namespace copse {

// Euclidean distances of these items, all pairs.
template <class T>
PairDistances euclidean_distances(const Dataset<T>& data, std::span<const Index> items);

// J_k = sum over clusters of 1/(2 n_j) sum over ordered pairs of d [Kuang 2014, eq. 36]. An item without a cluster (-1)
// is a cluster of its own: it adds nothing.
double within_variation(const PairDistances& distances, std::span<const Index> labels);

}  // namespace copse
