#include "copse/tree/packed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "copse/base/error.h"

namespace copse {
namespace {

constexpr std::size_t node_fields = 10;
constexpr std::size_t score_fields = 3;

void require(bool holds, const char* otherwise) {
  if (!holds) throw InputError(otherwise);
}

template <class List, class More>
void append(List& list, const More& more) {
  list.insert(list.end(), more.begin(), more.end());
}

template <class Value>
std::span<const Value> first(std::span<const Value>& source, std::int64_t count) {
  require(count >= 0 && count <= static_cast<std::int64_t>(source.size()), "its lists are too short");
  const auto taken = source.first(static_cast<std::size_t>(count));
  source = source.subspan(static_cast<std::size_t>(count));
  return taken;
}

// Moves the first `count` values of `source` to `target`: numbers below `end`.
void take(std::vector<RowIndex>& target, std::span<const std::int64_t>& source, std::int64_t count, Index end) {
  for (const std::int64_t value : first(source, count)) {
    require(value >= 0 && value < end, "it names items or features that it has not");
    target.push_back(static_cast<RowIndex>(value));
  }
}

// The same for weights.
Numbers take(const Numbers& source, std::size_t& begin, std::int64_t count) {
  require(count >= 0 && count <= static_cast<std::int64_t>(source.size() - begin), "its lists are too short");
  Numbers target(source.precision());
  target.append(source, begin, static_cast<std::size_t>(count));
  begin += static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < target.size(); ++i)
    require(target[i] >= 0, "it has a weight that is negative or not a number");
  return target;
}

bool ascends(std::span<const RowIndex> list) {
  return std::ranges::adjacent_find(list, std::greater_equal()) == list.end();
}

// Parents come before their children, which stand side by side, and each child says who its parent is. Each split has
// a number of its own.
bool forms_tree(const std::vector<TreeNode>& nodes) {
  const Index count = static_cast<Index>(nodes.size());
  std::vector<char> numbers(nodes.size() / 2 + 1, 0);
  for (Index n = 0; n < count; ++n) {
    const TreeNode& node = nodes[n];
    if (n == 0 ? node.parent != -1 : node.parent < 0 || node.parent >= n) return false;
    if (n > 0 && nodes[node.parent].first != n && nodes[node.parent].second != n) return false;
    if (node.first < 0) {
      if (node.first != -1 || node.second != -1 || node.split != 0) return false;
      continue;
    }
    if (node.first >= count || node.second != node.first + 1 || node.second >= count || node.dropped) return false;
    if (nodes[node.first].parent != n || nodes[node.second].parent != n) return false;
    if (node.split < 1 || node.split > count / 2 || numbers[node.split] != 0) return false;
    numbers[node.split] = 1;
  }
  return true;
}

// Nobody walks round in a circle who goes down, or from an empty leaf to the node that it was joined to.
bool joins_end(const std::vector<TreeNode>& nodes) {
  const auto next = [&](const TreeNode& node) { return std::array{node.first, node.second, node.joined}; };
  std::vector<int> ways(nodes.size(), 0);  // that lead to each node
  for (const TreeNode& node : nodes) {
    if (node.joined < 0) continue;
    if (node.joined >= static_cast<Index>(nodes.size()) || !node.items.empty()) return false;
  }
  for (const TreeNode& node : nodes) {
    for (const Index to : next(node)) {
      if (to >= 0) ++ways[to];
    }
  }
  std::vector<Index> ready;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (ways[n] == 0) ready.push_back(static_cast<Index>(n));
  }
  std::size_t passed = 0;
  for (; !ready.empty(); ++passed) {
    const TreeNode& node = nodes[ready.back()];
    ready.pop_back();
    for (const Index to : next(node)) {
      if (to >= 0 && --ways[to] == 0) ready.push_back(to);
    }
  }
  return passed == nodes.size();
}

// The items of a node that is split are those of its children and its outliers.
bool shares_out(const std::vector<TreeNode>& nodes) {
  std::vector<RowIndex> parts;
  for (const TreeNode& node : nodes) {
    if (!ascends(node.items) || !ascends(node.outliers)) return false;
    if (node.first < 0) continue;
    parts = node.outliers;
    append(parts, nodes[node.first].items);
    append(parts, nodes[node.second].items);
    std::ranges::sort(parts);
    if (parts != node.items) return false;
  }
  return true;
}

}  // namespace

PackedTree pack(const Tree& tree) {
  PackedTree packed;
  packed.weights = packed.shares = packed.term_weights = Numbers(tree.precision);
  packed.shape = {tree.rows, tree.cols, tree.leaves};
  // Lists that grow would be in memory twice while they move: the terms of all nodes are most of a large model.
  std::size_t items = 0, weights = 0, terms = 0;
  for (const TreeNode& node : tree.nodes)
    items += node.items.size(), weights += node.weights.size(), terms += node.topic.terms.size();
  packed.items.reserve(items);
  packed.weights.reserve(weights);
  packed.shares.reserve(weights);
  packed.terms.reserve(terms);
  packed.term_weights.reserve(terms);
  for (const TreeNode& node : tree.nodes) {
    const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
    append(packed.nodes, std::initializer_list<std::int64_t>{
                             node.parent, node.first, node.second, static_cast<std::int64_t>(node.leaf), node.split,
                             node.joined >= 0 ? 2 + node.joined : node.dropped, size(node.items), size(node.weights),
                             size(node.outliers), size(node.topic.terms)});
    append(packed.scores, std::initializer_list<double>{node.score, node.squared_norm, node.explained});
    append(packed.items, node.items);
    packed.weights.append(node.weights);
    packed.shares.append(node.shares);
    append(packed.outliers, node.outliers);
    append(packed.terms, node.topic.terms);
    packed.term_weights.append(node.topic.weights);
    packed.names.push_back(node.name);
  }
  return packed;
}

Tree unpack(const PackedTree& packed) {
  const std::size_t count = packed.nodes.size() / node_fields;
  require(packed.shape.size() == 3 && count > 0 && packed.nodes.size() % node_fields == 0, "its shape is damaged");
  require(packed.scores.size() == score_fields * count && packed.names.size() == count, "its lists differ in length");
  Tree tree;
  tree.precision = packed.term_weights.precision();
  tree.rows = packed.shape[0], tree.cols = packed.shape[1], tree.leaves = packed.shape[2];
  constexpr Index most = std::numeric_limits<RowIndex>::max();
  require(tree.rows >= 0 && tree.rows <= most && tree.cols >= 0 && tree.cols <= most, "its shape is damaged");
  std::span<const std::int64_t> items = packed.items, outliers = packed.outliers, terms = packed.terms;
  std::size_t weights = 0, shares = 0, term_weights = 0;  // where those of the next node begin
  for (std::size_t n = 0; n < count; ++n) {
    const std::span field = std::span(packed.nodes).subspan(n * node_fields, node_fields);
    const std::span score = std::span(packed.scores).subspan(n * score_fields, score_fields);
    TreeNode& node = tree.nodes.emplace_back();
    node.parent = field[0], node.first = field[1], node.second = field[2];
    node.leaf = static_cast<Leaf>(std::clamp<std::int64_t>(field[3], 0, static_cast<int>(Leaf::not_worth_it)));
    node.split = static_cast<int>(std::clamp<std::int64_t>(field[4], -1, std::numeric_limits<int>::max()));
    node.dropped = field[5] != 0;
    node.joined = std::max<std::int64_t>(-1, field[5] - 2);
    take(node.items, items, field[6], tree.cols);
    node.weights = take(packed.weights, weights, field[7]);
    node.shares = take(packed.shares, shares, field[7]);
    take(node.outliers, outliers, field[8], tree.cols);
    take(node.topic.terms, terms, field[9], tree.rows);
    node.topic.weights = take(packed.term_weights, term_weights, field[9]);
    require(node.weights.size() == node.items.size() || (n == 0 && node.weights.empty()), "its lists differ in length");
    node.score = score[0], node.squared_norm = score[1], node.explained = score[2];
    require(std::isfinite(node.squared_norm) && std::isfinite(node.explained), "it has a norm that is not finite");
    node.name = packed.names[n];
  }
  require(forms_tree(tree.nodes), "its nodes do not form a tree");
  require(joins_end(tree.nodes), "its joined nodes lead nowhere");
  require(shares_out(tree.nodes), "the items of its nodes are not those of their children and outliers");
  require(tree.leaves == static_cast<Index>(tree.leaf_nodes().size()), "it has another number of leaves than it says");
  return tree;
}

}  // namespace copse
