// Data whose clusters are known, because they were planted.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

template <class T>
struct Planted {
  Dataset<T> data = {};
  std::vector<Index> labels = {};   // the true cluster of each item, 0 ... k - 1
  std::vector<Index> parents = {};  // the group of each item's cluster; empty where there is no hierarchy
};

// Item j draws from stream j of the seed; what items share is drawn from streams from here on.
inline constexpr std::uint64_t shared_streams = std::uint64_t(1) << 62;

// Labels 0 ... k - 1 in random order, drawn from stream shared_streams; the sizes differ by one at most.
std::vector<Index> balanced_labels(Index items, Index k, std::uint64_t seed);

}  // namespace copse
