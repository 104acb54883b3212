// A tree as text: tree.json, Newick, and the tables of its items. Computes nothing.
#pragma once

#include <string>

#include "copse/result/tree_result.h"

namespace copse {

// All nodes of the binary tree, and its outline: the shown nodes from the top, with their children.
template <class T>
std::string tree_json(const TreeResult<T>& result);

// The outline for tree viewers: (1.1:1,1.2:1)1:1 ... with names in place of ids where given.
template <class T>
std::string tree_newick(const TreeResult<T>& result);

// Item, leaf id ("outlier" for one that was set aside, "short" or -1 for one that preparation dropped), soft weight of
// the leaf, path (the id of the last node on it), soft weights of all nodes on the path, the best node beside the path
// with its weight (an item with a large second weight is of two topics), and the leaf by flattening.
template <class T>
std::string tree_assignments_tsv(const TreeResult<T>& result);

// Item, then its leaf in the nested partitions with 2, 3, ... leaves.
template <class T>
std::string partitions_tsv(const TreeResult<T>& result);

}  // namespace copse
