// A tree as text: tree.json, Newick, and the tables of its items. Computes nothing but sums along paths.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "copse/measure/clustering.h"
#include "copse/tree/tree.h"

namespace copse {

// What a tree's files say beyond the tree itself.
struct TreeTexts {
  std::vector<std::string> feature_names = {};  // of the tree's features, or empty: numbers from 0
  std::vector<std::string> item_names = {};     // of all items of the file
  std::vector<Index> kept_items = {};           // the items of the tree among those; empty: all
  std::string dropped_name = "-1";              // the cluster of the other items of the file
  Index top = 10;                               // terms and items to name per node
  std::vector<std::string> history = {};        // what was done to the tree since it was built
  std::string explanation = {};                 // why it has fewer leaves than asked for, or empty
  std::vector<ClusteringMeasures> partitions =
      {};                                       // of the nested partitions with 2, 3, ... leaves, where truth is known
  std::optional<ClusteringMeasures> flat = {};  // of the flattened assignment
};

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

// Why the tree has fewer leaves than wanted; empty if it has not.
template <class T>
std::string explain_leaves(const Tree<T>& tree, Index wanted);

template <class T>
std::string tree_json(const Tree<T>& tree, const TreeTexts& texts);

// One line per node, indented by depth, with size, score and best terms.
template <class T>
std::string tree_table(const Tree<T>& tree, const TreeTexts& texts, std::size_t width);

// For tree viewers: (1.1:1,1.2:1)1:1 ... with names in place of ids where given.
template <class T>
std::string tree_newick(const Tree<T>& tree);

// Item, leaf id ("outlier" for one that was set aside, texts.dropped_name for one that preparation dropped), soft
// weight of the leaf, path (the id of the last node on it), soft weights of all nodes on the path, and the best node
// beside the path with its weight: an item with a large second weight is of two topics. `flat` has each item's leaf by
// flattening, or is empty.
template <class T>
std::string tree_assignments_tsv(const Tree<T>& tree, const TreeTexts& texts, std::span<const Index> flat);

// Item, then its leaf in the nested partitions with 2, 3, ... leaves.
template <class T>
std::string partitions_tsv(const Tree<T>& tree, const TreeTexts& texts);

}  // namespace copse
