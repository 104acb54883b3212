// Items that nearly equal an earlier one.
#pragma once

#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

struct NearDuplicateOptions {
  double cosine = 0.95;  // least cosine of the angle between an item and an earlier one, above 0
  int bands = 6;         // hashes of each item under which it may meet others
  int hashes = 3;        // random groups of features, the smallest of each, that form one such hash
};

// The items, ascending, that have a high cosine with an earlier one. Candidates meet by min-hashing: items whose sets
// of features have the Jaccard index J are compared with probability 1 - (1 - J^hashes)^bands, and each with a few
// items of the same hash only, so that one that differs much in its features may be missed. No seed: the same items
// every time.
template <class T>
std::vector<Index> near_duplicates(const Dataset<T>& data, const NearDuplicateOptions& options = {});

}  // namespace copse
