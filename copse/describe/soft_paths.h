// How strongly the items of a tree belong to the nodes on their way down.
#pragma once

#include <span>
#include <vector>

#include "copse/tree/tree.h"

namespace copse {

// For every item of a tree: the last node on its path, the soft weights of the nodes on it, and the best node beside
// it.
struct SoftPaths {
  explicit SoftPaths(const Tree& tree);

  std::span<const double> weights(Index item) const {
    return {weights_.data() + starts_[item], static_cast<std::size_t>(starts_[item + 1] - starts_[item])};
  }

  std::vector<Index> last;
  std::vector<Index> second;   // -1: none
  std::vector<double> beside;  // the soft weight of `second`

 private:
  std::vector<Index> starts_;    // where an item's weights begin, and their number
  std::vector<double> weights_;  // of all items
};

}  // namespace copse
