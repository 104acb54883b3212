// Two nodes of a tree that a person made one, though no split parted them.
#pragma once

#include <unordered_map>

#include "copse/tree/tree.h"

namespace copse {

// Makes `node` a leaf that has the items of `other` too. `other` becomes an empty leaf that points to it: ids stay, and
// new items that come to `other` go on to `node`. Two children of one node become that node, as merge() has it. Throws
// InvalidArgument if one is below the other, or was dropped.
void join(Tree& tree, Index node, Index other);

// Where items go that come to `node`: itself, or what it was joined to.
Index joined_end(const Tree& tree, Index node);

// The topics as a reader sees them, and as items are fitted to: that of a node that others were joined to is the sum of
// theirs, each as long as the part of its items that it explains, with unit norm. The tree must outlive it.
class JoinedTopics {
 public:
  explicit JoinedTopics(const Tree& tree);
  const RankedTerms& operator()(Index node) const;

 private:
  const Tree& tree_;
  std::unordered_map<Index, RankedTerms> sums_;
};

}  // namespace copse
