// How strongly the items of a tree belong to the nodes on their way down.
#pragma once

#include <string>
#include <vector>

#include "copse/tree/tree.h"

namespace copse {

// For every item of a tree: the last node on its path, the soft weights of the nodes on it, and the best node beside
// it.
template <class T>
struct SoftPaths {
  explicit SoftPaths(const Tree<T>& tree);

  std::vector<Index> last;
  std::vector<std::vector<double>> weights;
  std::vector<Index> second;   // -1: none
  std::vector<double> beside;  // the soft weight of `second`
};

}  // namespace copse
