// A binary tree as a reader sees it: splits that belong together are one node with many children.
#pragma once

#include <vector>

#include "copse/tree/tree.h"

namespace copse {

// A node A below the shown node P, with children A1 and A2, is a topic of its own, and so is shown, if
//
//   share s(A1, A2) + (1 - share) s(A, P \ A) < own_topic s(A1, A2),
//
// where share = |A| / |P| and s(X, Y) is the mean similarity of an item of X and an item of Y. So its parts must be
// more alike than it is like the rest of P, and it must not be nearly all of P: a chain of splits that peel off one
// small child after the other has no topic of its own until little of P is left. Otherwise A1 and A2 stand at its place
// below P. No unit is in it, neither of the items nor of the sizes.
inline constexpr double own_topic = 0.8;

struct Outline {
  std::vector<Index> parent;                 // of each node: the shown one above; -1 for the root and for one not shown
  std::vector<std::vector<Index>> children;  // of each shown node, the largest first, equal ones in the order of ids

  bool shows(Index node) const { return node == 0 || parent[node] >= 0; }
};

// Leaves are always shown, and so are nodes that a person named; a leaf that was joined to another never, and what was
// split into it and a rest is shown as the rest. With x_j = q_X w_X for the items of X, q_X^2 the share
// of their squared norms that the topic w_X explains, s(X, Y) = q_X q_Y w_X'w_Y. What is asked of A depends on nodes
// that were there when A was split: more leaves, or a cut, change nothing but what is below the leaves.
Outline outline_of(const Tree& tree);

}  // namespace copse
