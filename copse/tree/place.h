// Items into a finished tree, new ones or its own, by the rule that made it.
#pragma once

#include <vector>

#include "copse/tree/tree.h"

namespace copse {

// Where items end that walk down from the root: at a split with topics W = [w1 w2] an item x has the coefficients
// h = argmin |W h - x|, h >= 0, and goes where its coefficient is larger; ties, and items that neither topic explains,
// to the first child.
struct Placement {
  std::vector<Index> leaf;      // -1: the walk ends in a part of the tree that was dropped
  std::vector<Index> nearest;   // the same, with dropped parts passed by: always a leaf
  std::vector<double> weights;  // product of the shares own / (own + other) on the way to `nearest`
};

// x has the features of the tree. Items that the tree was built from come back to their own leaves; those that were set
// aside as outliers come to the nearest one. Throws InvalidArgument where the number of features differs.
template <class T>
Placement place_items(const Tree& tree, const Dataset<T>& x);

}  // namespace copse
