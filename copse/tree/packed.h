// A tree as a few flat arrays: for files, and for other languages.
#pragma once

#include <string>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/tree/tree.h"

namespace copse {

// The lists of all nodes one after the other, in the order of the nodes. What a factorization cost is not kept.
struct PackedTree {
  Buffer<std::int64_t> shape;  // rows, cols, leaves
  // Per node: parent, first, second, leaf, split, dropped, and the numbers of its items, weights, outliers and terms.
  // dropped: 0 no, 1 yes, 2 + n where its items were given to node n.
  Buffer<std::int64_t> nodes;
  std::vector<double> scores;  // per node: score, squared norm, explained
  Buffer<std::int64_t> items, outliers, terms;
  Numbers weights, shares, term_weights;
  std::vector<std::string> names;
};

PackedTree pack(const Tree& tree);

// Throws InputError for arrays that are not those of a tree; the sentence says what is wrong with "it".
Tree unpack(const PackedTree& packed);

}  // namespace copse
