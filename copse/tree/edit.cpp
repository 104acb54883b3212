#include "copse/tree/edit.h"

#include <algorithm>
#include <string>

#include "copse/base/error.h"

namespace copse {
namespace {

// Removes the nodes whose parents became leaves, and numbers nodes and splits anew without gaps.
void compact(Tree& tree) {
  std::vector<Index> number(tree.nodes.size(), -1), parents;
  for (const TreeNode& node : tree.nodes) parents.push_back(node.parent);
  std::vector<TreeNode> kept;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const Index parent = tree.nodes[n].parent;
    if (n > 0 && (number[parent] < 0 || kept[number[parent]].first < 0)) continue;
    number[n] = static_cast<Index>(kept.size());
    kept.push_back(std::move(tree.nodes[n]));
  }
  std::vector<int> splits;
  for (TreeNode& node : kept) {
    // A node that others were joined to may be gone: what took its items is the nearest one above.
    while (node.joined >= 0 && number[node.joined] < 0) node.joined = parents[node.joined];
    if (node.joined >= 0) node.joined = number[node.joined];
    if (node.parent >= 0) node.parent = number[node.parent];
    if (node.first < 0) continue;
    node.first = number[node.first];
    node.second = number[node.second];
    splits.push_back(node.split);
  }
  std::ranges::sort(splits);
  for (TreeNode& node : kept) {
    if (node.first >= 0)
      node.split = static_cast<int>(std::ranges::lower_bound(splits, node.split) - splits.begin()) + 1;
  }
  tree.nodes = std::move(kept);
  tree.leaves = static_cast<Index>(tree.leaf_nodes().size());
}

void make_leaf(TreeNode& node) {
  node.first = node.second = -1;
  node.split = 0;
  node.outliers.clear();
}

}  // namespace

void cut(Tree& tree, Index leaves) {
  if (leaves < 1 || leaves > tree.leaves)
    throw InvalidArgument("A tree of " + std::to_string(tree.leaves) + " leaves cannot be cut to " +
                          std::to_string(leaves) + ".");
  while (tree.leaves > leaves) {
    const auto last = std::ranges::max_element(tree.nodes, {}, &TreeNode::split);
    make_leaf(*last);
    compact(tree);
  }
}

void merge(Tree& tree, Index node) {
  if (tree.nodes[node].first < 0)
    throw InvalidArgument("Node " + tree.id(node) + " is a leaf: there is nothing to merge.");
  make_leaf(tree.nodes[node]);
  compact(tree);
}

void drop(Tree& tree, Index node) {
  const auto below = [&](Index n) {
    while (n > node) n = tree.nodes[n].parent;
    return n == node;
  };
  const auto leaves = tree.leaf_nodes();
  if (std::ranges::all_of(leaves, below)) throw InvalidArgument("Dropping this node would leave nothing of the tree.");
  if (std::ranges::none_of(leaves, below)) throw InvalidArgument("Node " + tree.id(node) + " was dropped before.");
  for (const Index leaf : leaves) {
    if (below(leaf)) tree.nodes[leaf].dropped = true;
  }
  tree.leaves = static_cast<Index>(tree.leaf_nodes().size());
}

}  // namespace copse
