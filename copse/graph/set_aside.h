// Parts of a graph that are too small to be clusters and would be taken for some: components, and what hangs from the
// rest by one edge. They take no part, and are placed afterwards.
#pragma once

#include <string>
#include <vector>

#include "copse/graph/graph.h"
#include "copse/matrix/dense.h"

namespace copse {

// The nodes that take part, ascending: those of components with `least` nodes or more; -1: with n / (10 k) or more, or
// all but isolated nodes where that would set aside more than half. At least k nodes are left.
std::vector<Index> nodes_taking_part(const Components& components, Index k, Index least);

// n / (10 k), at least 2: what is smaller is no cluster of k.
Index least_part(Index nodes, Index k);

// A node that hangs from the rest, and the next one on the way there.
struct Hanging {
  Index node = 0;
  Index anchor = 0;

  friend bool operator==(const Hanging&, const Hanging&) = default;
};

// The nodes behind an edge without which a part of fewer than `least` nodes would fall off, such as small trees. Every
// anchor stands before those that hang from it. Where more than half of a component would hang, none of it does.
// Weights do not matter.
template <class T>
std::vector<Hanging> hanging_nodes(SparseView<T> a, Index least);

// Those of the nodes, ascending, that do not hang.
std::vector<Index> without(const std::vector<Index>& nodes, const std::vector<Hanging>& hanging);

// Gives every node that hangs the row of its anchor, times the root of its degree divided by the anchor's: so the
// leading eigenvector of a normalized graph has it.
template <class T>
void place_hanging(const std::vector<Hanging>& hanging, const std::vector<double>& degrees, Matrix<T>& b);

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
