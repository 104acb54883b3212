// Where K-means begins.
#pragma once

#include <cstdint>

#include "copse/cluster/centre_start.h"
#include "copse/cluster/k_means_items.h"

namespace copse {

template <class T>
struct SpreadCentres {
  Matrix<T> w;      // features x clusters
  Index found = 0;  // fewer where fewer items differ; 0: all
};

// Items as centres: at random, or spread out [Arthur & Vassilvitskii 2007], each the best of a few tries.
template <class T>
SpreadCentres<T> spread_centres(const KMeansItems<T>& items, Index clusters, CentreStart start, std::uint64_t seed,
                                std::uint64_t stream);

}  // namespace copse
