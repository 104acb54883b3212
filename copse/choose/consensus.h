// Consensus of many clusterings: how often two items came together, of the times that both were clustered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/choose/answer.h"
#include "copse/choose/linkage.h"

namespace copse {

// Only the items that are watched count: all, or a sample where n x n would be too much.
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
  std::vector<std::vector<std::int32_t>> runs_;  // labels of the watched items, -1 or -2: absent
};

}  // namespace copse
