#include "copse/tree/join.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "copse/base/error.h"
#include "copse/tree/edit.h"

namespace copse {
namespace {

bool is_above(const Tree& tree, Index upper, Index node) {
  while (node > upper) node = tree.nodes[node].parent;
  return node == upper;
}

void check_pair(const Tree& tree, Index node, Index other) {
  if (node == other) throw InvalidArgument("Two nodes are needed, and node " + tree.id(node) + " is one.");
  for (const auto& [upper, lower] : {std::pair(node, other), {other, node}}) {
    if (is_above(tree, upper, lower))
      throw InvalidArgument("Node " + tree.id(lower) + " is below " + (upper == 0 ? "the root" : tree.id(upper)) +
                            ": merge two nodes of which none is below the other.");
  }
  const auto leaves = tree.leaf_nodes();
  for (const Index n : {node, other}) {
    if (tree.nodes[n].joined >= 0)
      throw InvalidArgument("Node " + tree.id(n) + " was merged into " + tree.id(joined_end(tree, n)) + " before.");
    if (std::ranges::none_of(leaves, [&](Index leaf) { return is_above(tree, n, leaf); }))
      throw InvalidArgument("Node " + tree.id(n) + " was dropped before.");
  }
}

// With this share of its new parent, or the one that each item had.
void give_items(const TreeNode& from, std::optional<double> share, TreeNode& to) {
  TreeNode both;
  both.weights = both.shares = Numbers(to.weights.precision());
  std::size_t a = 0, b = 0;
  while (a < to.items.size() || b < from.items.size()) {
    const bool own = b == from.items.size() || (a < to.items.size() && to.items[a] < from.items[b]);
    both.items.push_back(own ? to.items[a] : from.items[b]);
    both.weights.push_back(own ? to.weights[a] : from.weights[b]);
    both.shares.push_back(own ? to.shares[a] : share.value_or(from.shares[b]));
    ++(own ? a : b);
  }
  to.items = std::move(both.items), to.weights = std::move(both.weights), to.shares = std::move(both.shares);
}

void take_items(const std::vector<RowIndex>& items, TreeNode& from) {
  TreeNode kept;
  kept.weights = kept.shares = Numbers(from.weights.precision());
  for (std::size_t e = 0; e < from.items.size(); ++e) {
    if (std::ranges::binary_search(items, from.items[e])) continue;
    kept.items.push_back(from.items[e]);
    kept.weights.push_back(from.weights[e]);
    kept.shares.push_back(from.shares[e]);
  }
  from.items = std::move(kept.items), from.weights = std::move(kept.weights), from.shares = std::move(kept.shares);
}

}  // namespace

void join(Tree& tree, Index node, Index other) {
  check_pair(tree, node, other);
  if (tree.nodes[node].parent == tree.nodes[other].parent) return merge(tree, tree.nodes[node].parent);
  const std::string id = tree.id(node), other_id = tree.id(other);
  if (tree.nodes[node].first >= 0) merge(tree, node);
  other = tree.find(other_id);
  if (tree.nodes[other].first >= 0) merge(tree, other);
  node = tree.find(id);
  other = tree.find(other_id);
  const TreeNode moved = tree.nodes[other];
  for (Index n = other; !is_above(tree, n, node); n = tree.nodes[n].parent) take_items(moved.items, tree.nodes[n]);
  // A person decided: on the way down to its new place an item has the share 1, and there the one that it had.
  give_items(moved, std::nullopt, tree.nodes[node]);
  for (Index n = tree.nodes[node].parent; !is_above(tree, n, other); n = tree.nodes[n].parent)
    give_items(moved, 1, tree.nodes[n]);
  tree.nodes[other].dropped = true;
  tree.nodes[other].joined = node;
  tree.leaves = static_cast<Index>(tree.leaf_nodes().size());
}

Index joined_end(const Tree& tree, Index node) {
  while (tree.nodes[node].joined >= 0) node = tree.nodes[node].joined;
  return node;
}

JoinedTopics::JoinedTopics(const Tree& tree) : tree_(tree) {
  std::map<Index, std::map<RowIndex, double>> sums;
  const auto add = [&](Index from, std::map<RowIndex, double>& sum) {
    const TreeNode& part = tree.nodes[from];
    const double length = std::sqrt(std::max(0.0, part.explained));
    for (std::size_t r = 0; r < part.topic.terms.size(); ++r)
      sum[part.topic.terms[r]] += length * part.topic.weights[r];
  };
  for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n) {
    if (tree.nodes[n].joined < 0) continue;
    const Index end = joined_end(tree, n);
    const auto [sum, fresh] = sums.try_emplace(end);
    if (fresh) add(end, sum->second);
    add(n, sum->second);
  }
  for (const auto& [node, sum] : sums) {
    double square = 0;
    for (const auto& [term, weight] : sum) square += weight * weight;
    sums_[node] = with_precision(tree.precision, [&, &weights = sum]<class T> {
      Matrix<T> w(static_cast<Index>(weights.size()), 1);
      std::vector<RowIndex> terms;
      for (const auto& [term, weight] : weights) {
        w(static_cast<Index>(terms.size()), 0) = static_cast<T>(square > 0 ? weight / std::sqrt(square) : 0);
        terms.push_back(term);
      }
      return rank_terms(w, 0, terms);
    });
  }
}

const RankedTerms& JoinedTopics::operator()(Index node) const {
  const auto sum = sums_.find(node);
  return sum == sums_.end() ? tree_.nodes[node].topic : sum->second;
}

}  // namespace copse
