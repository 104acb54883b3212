// Consensus of many clusterings: how often two items came together, of the times that both were clustered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/choose/linkage.h"

namespace copse {

// What a consensus says about one number of clusters.
struct ConsensusMeasures {
  double cophenetic = 1;  // correlation of 1 - C with the heights of its average linkage [Brunet et al. 2004]
  double dispersion = 1;  // 1/n^2 sum 4 (C - 1/2)^2 [Kim & Park 2008, eq. 17]: 1 where every entry is 0 or 1
  double ambiguous = 0;   // share of pairs with .1 < C < .9 (PAC) [Senbabaoglu et al. 2014]
};

// Counts over runs. Only the items that are watched count: all, or a sample where n x n would be too much.
class Consensus {
 public:
  // `watched` are numbers of items, ascending.
  explicit Consensus(std::vector<Index> watched);

  // One clustering: labels[e] is the cluster of items[e] (ascending), or -1: the item was clustered and is alone.
  void add(std::span<const Index> items, std::span<const Index> labels);

  const std::vector<Index>& watched() const { return watched_; }
  // C(i, j) of the watched items at places i and j [Kuang 2014, eq. 35]; 1/2, which says nothing, if they never met.
  double value(Index i, Index j) const;
  PairDistances distances() const;  // 1 - C
  ConsensusMeasures measures() const;

 private:
  std::vector<Index> watched_;
  std::vector<std::uint32_t> met_, together_;  // each pair once, as in PairDistances
};

}  // namespace copse
