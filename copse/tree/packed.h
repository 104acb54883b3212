// A tree as a few flat arrays: for files, and for other languages.
#pragma once

#include <string>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/tree/tree.h"

namespace copse {

// The lists of all nodes one after the other, in the order of the nodes. The costs of factorizations are not kept.
template <class T>
struct PackedTree {
  Buffer<std::int64_t> shape;  // rows, cols, leaves
  // Per node: parent, first, second, leaf, split, dropped, and the numbers of its items, weights, outliers and terms.
  // dropped: 0 no, 1 yes, 2 + n where its items were given to node n.
  Buffer<std::int64_t> nodes;
  Buffer<double> scores;  // per node: score, squared norm, explained
  Buffer<std::int64_t> items, outliers, terms;
  Buffer<T> weights, shares, term_weights;
  std::vector<std::string> names;
};

template <class T>
PackedTree<T> pack(const Tree<T>& tree);

// Throws InputError for arrays that are not those of a tree; the sentence says what is wrong with "it".
template <class T>
Tree<T> unpack(const PackedTree<T>& packed);

}  // namespace copse
