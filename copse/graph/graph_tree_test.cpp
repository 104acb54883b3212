#include "copse/graph/graph_tree.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/graph.h"
#include "copse/measure/clustering.h"
#include "copse/tree/edit.h"
#include "copse/tree/place.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Levels of nested groups: a node has within[l] edges on average to others of its group of level l, the last being the
// smallest groups.
struct Nested {
  Graph<float> graph;
  std::vector<std::vector<Index>> labels;  // per level
};

Nested nested_graph(const std::vector<Index>& branches, Index smallest, const std::vector<double>& within,
                    double outside, std::uint64_t seed, bool shuffled = true, double weight = 1) {
  Index leaves = 1;
  for (const Index branch : branches) leaves *= branch;
  const Index n = leaves * smallest;
  Random random(seed);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index(0));
  for (Index i = n - 1; shuffled && i > 0; --i)
    std::swap(order[i], order[static_cast<Index>(random.uniform() * static_cast<double>(i + 1))]);
  Nested nested;
  nested.labels.assign(branches.size(), std::vector<Index>(static_cast<std::size_t>(n)));
  std::vector<Index> sizes;
  Index size = n;
  for (std::size_t l = 0; l < branches.size(); ++l) {
    size /= branches[l];
    sizes.push_back(size);
    for (Index i = 0; i < n; ++i) nested.labels[l][order[i]] = i / size;
  }
  std::vector<Edge> edges;
  const auto add = [&](Index first, Index count, double degree) {
    for (Index e = 0; e < static_cast<Index>(degree * static_cast<double>(count) / 2); ++e) {
      const auto draw = [&] { return first + static_cast<Index>(random.uniform() * static_cast<double>(count)); };
      edges.push_back({static_cast<RowIndex>(order[draw()]), static_cast<RowIndex>(order[draw()]), weight});
    }
  };
  add(0, n, outside);
  for (std::size_t l = 0; l < sizes.size(); ++l) {
    for (Index first = 0; first < n; first += sizes[l]) add(first, sizes[l], within[l]);
  }
  nested.graph = graph_from_edges<float>(n, edges);
  return nested;
}

// The group of a level that each of the tree's nodes at some depth belongs to, if all of its items agree.
bool is_pure(const TreeNode& node, const std::vector<Index>& labels) {
  for (const RowIndex item : node.items) {
    if (labels[item] != labels[node.items[0]]) return false;
  }
  return true;
}

TEST(GraphTree, FindsNestedGroupsLevelByLevel) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const bool shuffled : {false, true}) {
      const Nested nested = nested_graph({2, 2, 2}, 60, {3, 5, 12}, 1, seed, shuffled);
      const auto found =
          cluster_graph_tree(nested.graph, {.tree = {.leaves = 8, .score = Score::error, .outlier_trials = 0}});
      ASSERT_EQ(found.tree.leaves, 8);
      // The first split makes the two groups of the first level, the next two those of the second.
      for (const int splits : {1, 3, 7}) {
        const auto& truth = nested.labels[splits == 1 ? 0 : splits == 3 ? 1 : 2];
        const auto leaf = found.tree.partition(splits);
        EXPECT_GT(compare_clusterings(leaf, truth).accuracy, 0.99) << splits << " splits, seed " << seed;
      }
      EXPECT_EQ(found.labels.size(), nested.graph.weights.cols);
    }
  }
}

TEST(GraphTree, FindsGroupsThatAreNoPowersOfTwo) {
  const Nested nested = nested_graph({3, 3}, 70, {5, 12}, 1, 4);
  const auto found =
      cluster_graph_tree(nested.graph, {.tree = {.leaves = 9, .score = Score::error, .outlier_trials = 0}});
  EXPECT_GT(compare_clusterings(found.labels, nested.labels[1]).accuracy, 0.98);
  // No group of the first level is cut before all of them stand.
  EXPECT_GT(compare_clusterings(found.tree.partition(2), nested.labels[0]).accuracy, 0.98);
}

TEST(GraphTree, StopsWhereHalvesAreNoCommunities) {
  const Nested nested = nested_graph({4}, 100, {30}, 2, 5);
  GraphTreeOptions options{.tree = {.leaves = 50, .score = Score::error, .min_score = 0, .outlier_trials = 0}};
  const auto found = cluster_graph_tree(nested.graph, options);
  EXPECT_EQ(found.tree.leaves, 4);
  EXPECT_GT(compare_clusterings(found.labels, nested.labels[0]).accuracy, 0.99);
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("The tree has 4 leaves and not 50")));
  // Without the bound it has as many leaves as it is asked for.
  options = {.tree = {.leaves = 50}};
  options.tree.score = Score::error;
  options.tree.outlier_trials = 0;
  options.tree.min_score = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(cluster_graph_tree(nested.graph, options).tree.leaves, 50);
}

TEST(GraphTree, DefaultsNeedOnlyTheNumberOfLeaves) {
  const Nested nested = nested_graph({5}, 50, {12}, 1, 6);
  GraphTreeOptions options;
  options.tree.leaves = 5;
  EXPECT_GT(compare_clusterings(cluster_graph_tree(nested.graph, options).labels, nested.labels[0]).accuracy, 0.99);
}

TEST(GraphTree, DoesNotDependOnThreadsOrTheScaleOfWeights) {
  const Nested nested = nested_graph({2, 3}, 50, {4, 10}, 1, 7);
  GraphTreeOptions options;
  options.tree.leaves = 6;
  const auto expected = cluster_graph_tree(nested.graph, options);
  with_threads(1, nullptr, [&] {
    const auto found = cluster_graph_tree(nested.graph, options);
    EXPECT_EQ(found.labels, expected.labels);
    ASSERT_EQ(found.tree.nodes.size(), expected.tree.nodes.size());
    for (std::size_t v = 0; v < found.tree.nodes.size(); ++v) {
      EXPECT_EQ(found.tree.nodes[v].weights, expected.tree.nodes[v].weights);
      EXPECT_EQ(found.tree.nodes[v].topic, expected.tree.nodes[v].topic);
    }
  });
  for (const double weight : {0x1p-60, 0x1p60}) {
    const Nested scaled = nested_graph({2, 3}, 50, {4, 10}, 1, 7, true, weight);
    EXPECT_EQ(cluster_graph_tree(scaled.graph, options).labels, expected.labels);
  }
}

TEST(GraphTree, IsATreeAsOthersAre) {
  const Nested nested = nested_graph({2, 2}, 60, {4, 12}, 1, 8);
  const auto& labels = nested.labels[1];
  GraphTreeOptions options;
  options.tree.leaves = 3;
  auto found = cluster_graph_tree(nested.graph, options);
  Tree& tree = found.tree;
  EXPECT_EQ(tree.rows, 240);
  EXPECT_EQ(tree.cols, 240);
  for (const TreeNode& node : tree.nodes) {
    EXPECT_EQ(node.items.size(), node.parent < 0 ? 240 : node.weights.size());
    // The most central nodes of a community belong to it.
    if (node.parent < 0) continue;
    ASSERT_FALSE(node.topic.terms.empty());
    EXPECT_TRUE(std::ranges::binary_search(node.items, node.topic.terms[0]));
  }
  // Splitting, merging, cutting.
  const auto data = graph_tree_data<float>(nested.graph.weights);
  Index whole = -1;
  for (const Index leaf : tree.leaf_nodes()) {
    if (!is_pure(tree.nodes[leaf], labels)) whole = leaf;
  }
  ASSERT_GE(whole, 0);
  options.tree.leaves = 2;
  grow(tree, whole, *data, options.tree);
  EXPECT_EQ(tree.leaves, 4);
  EXPECT_GT(compare_clusterings(graph_tree_labels(tree, found.components), labels).accuracy, 0.99);
  // Nodes walk back to their own leaves by their edges.
  const auto placed = place_items(tree, Dataset<float>{.values = nested.graph.weights});
  const auto own = tree.partition(tree.splits());
  Index same = 0;
  for (std::size_t i = 0; i < own.size(); ++i) same += placed.leaf[i] == own[i];
  EXPECT_GE(same, 235);
  merge(tree, whole);
  EXPECT_EQ(tree.leaves, 3);
  cut(tree, 2);
  EXPECT_EQ(tree.leaves, 2);
}

TEST(GraphTree, SetsSmallPiecesAside) {
  const Nested nested = nested_graph({2}, 100, {12}, 1, 9);
  std::vector<Edge> edges;
  const auto& a = nested.graph.weights;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      if (a.indices[p] < j) edges.push_back({a.indices[p], static_cast<RowIndex>(j + 2)});
    }
  }
  // Numbers 0 and 1 ... are shifted by two: an isolated node stands first, and at the end hang a pair and a triangle.
  for (Edge& edge : edges) edge.from += 2;
  for (const auto& [x, y] : {std::pair{202, 203}, {204, 205}, {205, 206}, {204, 206}})
    edges.push_back({static_cast<RowIndex>(x), static_cast<RowIndex>(y)});
  const auto graph = graph_from_edges<float>(207, edges);
  GraphTreeOptions options;
  options.tree.leaves = 2;
  const auto found = cluster_graph_tree(graph, options);
  EXPECT_EQ(found.tree.leaves, 2);
  EXPECT_EQ(found.pieces, 4);  // nodes 0 and 1 as well
  EXPECT_EQ(found.nodes_set_aside, 7);
  EXPECT_THAT(found.tree.nodes[0].outliers, ElementsAre(0, 1, 202, 203, 204, 205, 206));
  EXPECT_THAT(found.tree.nodes[0].items, SizeIs(207));
  EXPECT_EQ(found.labels[0], 2);
  EXPECT_EQ(found.labels[1], 3);
  EXPECT_EQ(found.labels[202], 4);
  EXPECT_EQ(found.labels[203], 4);
  EXPECT_EQ(found.labels[206], 5);
  std::vector<Index> core(found.labels.begin() + 2, found.labels.begin() + 202);
  EXPECT_GT(compare_clusterings(core, nested.labels[0]).accuracy, 0.99);
}

TEST(GraphTree, EveryScoreBuildsATree) {
  const Nested nested = nested_graph({4}, 50, {14}, 1, 10);
  for (const Score score : {Score::mndcg, Score::error, Score::rank1_gain, Score::fit, Score::rank1, Score::rank2}) {
    GraphTreeOptions options;
    options.tree.leaves = 4;
    options.tree.score = score;
    EXPECT_EQ(cluster_graph_tree(nested.graph, options).tree.leaves, 4) << static_cast<int>(score);
  }
}

TEST(GraphTree, HasOneBehaviourForDegenerateGraphs) {
  GraphTreeOptions options;
  options.tree.leaves = 3;
  const auto tree_of = [&](Index nodes, std::vector<Edge> edges) {
    return cluster_graph_tree(graph_from_edges<double>(nodes, edges), options);
  };
  EXPECT_THROW(tree_of(0, {}), InvalidArgument);
  EXPECT_THROW(tree_of(2, {{0, 1}}), InvalidArgument);
  EXPECT_EQ(tree_of(3, {}).tree.leaves, 1);
  EXPECT_EQ(tree_of(4, {{0, 1}, {2, 3}}).tree.leaves, 2);
  std::vector<Edge> star, complete;
  for (RowIndex i = 1; i < 12; ++i) star.push_back({0, i});
  for (RowIndex i = 0; i < 12; ++i) {
    for (RowIndex j = 0; j < i; ++j) complete.push_back({i, j});
  }
  for (const auto& edges : {star, complete}) {
    const auto found = tree_of(12, edges);
    EXPECT_LE(found.tree.leaves, 3);
    for (const Index label : found.labels) EXPECT_GE(label, 0);
  }
  options.tree.leaves = 1;
  EXPECT_EQ(tree_of(1, {}).labels, std::vector<Index>{0});
  EXPECT_EQ(tree_of(2, {{0, 1}}).labels, (std::vector<Index>{0, 0}));
}

TEST(GraphTree, StopsInTime) {
  const Nested nested = nested_graph({4}, 200, {14}, 1, 11);
  GraphTreeOptions options;
  options.tree.leaves = 100;
  options.tree.time_limit = 1e-9;
  EXPECT_EQ(cluster_graph_tree(nested.graph, options).tree.stop_reason, StopReason::time_limit);
}

}  // namespace
}  // namespace copse
