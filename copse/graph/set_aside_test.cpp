#include "copse/graph/set_aside.h"

#include <gmock/gmock.h>

#include <set>

#include "copse/base/random.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Graph<float> graph_of(Index nodes, const std::vector<std::pair<int, int>>& pairs) {
  std::vector<Edge> edges;
  for (const auto& [i, j] : pairs) edges.push_back({static_cast<RowIndex>(i), static_cast<RowIndex>(j)});
  return graph_from_edges<float>(nodes, edges);
}

// Nodes that fall off with some edge, in a part of fewer than `least`: by cutting every edge.
std::set<Index> naive_hanging(const Graph<float>& graph, Index least) {
  const SparseMatrix<float>& a = graph.weights;
  const Components whole = connected_components<float>(a);
  std::set<Index> result;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      std::vector<Edge> edges;
      for (Index c = 0; c < a.cols; ++c) {
        for (Index q = a.offsets[c]; q < a.offsets[c + 1]; ++q) {
          const bool is_it = (c == j && a.indices[q] == a.indices[p]) || (c == a.indices[p] && a.indices[q] == j);
          if (!is_it && a.indices[q] < c) edges.push_back({a.indices[q], static_cast<RowIndex>(c)});
        }
      }
      const auto rest = graph_from_edges<float>(a.cols, edges);
      const Components parts = connected_components<float>(rest.weights);
      if (parts.count() == whole.count()) continue;
      const Index size = parts.sizes[parts.labels[j]], other = whole.sizes[whole.labels[j]] - size;
      for (Index i = 0; i < a.cols && size < least && other >= least; ++i) {
        if (parts.labels[i] == parts.labels[j]) result.insert(i);
      }
    }
  }
  return result;
}

TEST(HangingNodes, AreThoseThatFallOffWithOneEdge) {
  Random random(1);
  int with_some = 0;
  for (int round = 0; round < 60; ++round) {
    // A random core, random trees on it, numbers shuffled.
    const Index n = 30, core = 18;
    std::vector<std::pair<int, int>> pairs;
    const auto draw = [&](Index count) { return static_cast<int>(random.uniform() * static_cast<double>(count)); };
    for (int i = 0; i < core; ++i) pairs.push_back({i, (i + 1) % static_cast<int>(core)});
    for (int i = static_cast<int>(core); i < n; ++i) pairs.push_back({i, draw(i)});
    pairs.push_back({draw(n), draw(n)});
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int i = static_cast<int>(n) - 1; i > 0; --i) std::swap(order[i], order[draw(i + 1)]);
    for (auto& [i, j] : pairs) i = order[i], j = order[j];
    const auto graph = graph_of(n, pairs);
    const auto hanging = hanging_nodes<float>(graph.weights, 6);
    std::set<Index> found, known;
    for (Index i = 0; i < n; ++i) known.insert(i);
    for (const Hanging& h : hanging) known.erase(h.node);
    for (const Hanging& h : hanging) {
      // Its anchor is its neighbour, and stands before it.
      EXPECT_TRUE(known.contains(h.anchor));
      const auto& a = graph.weights;
      EXPECT_TRUE(std::binary_search(a.indices.begin() + a.offsets[h.node], a.indices.begin() + a.offsets[h.node + 1],
                                     static_cast<RowIndex>(h.anchor)));
      known.insert(h.node);
      found.insert(h.node);
    }
    const auto expected = naive_hanging(graph, 6);
    if (2 * expected.size() <= static_cast<std::size_t>(n)) {
      EXPECT_EQ(found, expected) << round;
    }
    with_some += !found.empty();
  }
  EXPECT_GT(with_some, 40);
}

TEST(HangingNodes, AreFoundFromAnyNode) {
  // A path of two nodes hangs from a cycle, and has the lowest numbers: the search begins on it.
  const auto graph = graph_of(7, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 2}});
  EXPECT_THAT(hanging_nodes<float>(graph.weights, 3), ElementsAre(Hanging{1, 2}, Hanging{0, 1}));
  EXPECT_THAT(hanging_nodes<float>(graph.weights, 2), ElementsAre(Hanging{0, 1}));
  EXPECT_THAT(hanging_nodes<float>(graph.weights, 0), IsEmpty());
  // A star would lose all of its leaves, and keeps them.
  EXPECT_THAT(hanging_nodes<float>(graph_of(6, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}).weights, 3), IsEmpty());
  EXPECT_THAT(hanging_nodes<float>(graph_of(2, {{0, 1}}).weights, 2), IsEmpty());
  EXPECT_THAT(hanging_nodes<float>(graph_of(3, {}).weights, 2), IsEmpty());
}

}  // namespace
}  // namespace copse
