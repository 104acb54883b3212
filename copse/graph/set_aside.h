// Components that are too small to be clusters: they take no part, and are placed afterwards.
#pragma once

#include <string>
#include <vector>

#include "copse/graph/graph.h"

namespace copse {

// The nodes that take part, ascending: those of components with `least` nodes or more; -1: with n / (10 k) or more, or
// all but isolated nodes where that would set aside more than half. At least k nodes are left.
std::vector<Index> nodes_taking_part(const Components& components, Index k, Index least);

struct Pieces {
  Index count = 0;  // that were set aside
  Index nodes = 0;  // in them
};

// Gives the nodes with a negative label the numbers k, k + 1, ...: one per component, in the order of their lowest
// nodes.
Pieces label_pieces(const Components& components, Index k, std::vector<Index>& labels);

// "3 small pieces of the graph with 7 nodes ..."
std::string sentence(const Pieces& pieces);

}  // namespace copse
