// Groups of nodes by moves that raise modularity, level by level, with Leiden's refinement (Traag, Waltman & van Eck
// 2019). On one thread: the same seed gives the same groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/matrix/sparse.h"

namespace copse {

struct CommunityOptions {
  double resolution = 1;   // r in sum_c w_c / d - r (d_c / d)^2: more gives smaller groups
  int rounds = 2;          // how often all levels are gone through, each time from the groups found before
  std::uint64_t seed = 0;  // the order in which nodes are visited
};

// Labels 0, 1, ... in the order of the lowest node of each group. Every group is connected. An isolated node is a
// group.
template <class T>
std::vector<Index> communities(SparseView<T> a, const CommunityOptions& options = {});

struct CommunityCount {
  std::vector<Index> labels;  // 0 ... k - 1, none empty
  double resolution = 1;      // at which they were found
};

// Exactly k groups, 1 <= k <= n: the resolution is bisected until k groups stand, or a few more, of which those are
// merged that lower modularity least; at last nodes move among the k groups.
template <class T>
CommunityCount communities_of_count(SparseView<T> a, Index k, std::uint64_t seed);

}  // namespace copse
