#include "copse/graph/choose_communities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/random.h"

namespace copse {
namespace {

// `groups` groups of `size` nodes: an edge within with probability p, between groups with q.
Graph<double> planted(Index groups, Index size, double p, double q, std::uint64_t seed) {
  std::vector<Edge> edges;
  Random random(seed);
  for (Index i = 0; i < groups * size; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (random.uniform() < (i / size == j / size ? p : q))
        edges.push_back(
            {static_cast<RowIndex>(i), static_cast<RowIndex>(j), 1.0 + static_cast<double>(random.below(3))});
    }
  }
  return graph_from_edges<double>(groups * size, edges);
}

std::vector<Index> numbers_of_edges(const Graph<double>& graph) {
  std::vector<Index> counts;
  for (Index j = 0; j < graph.nodes(); ++j) counts.push_back(graph.weights.offsets[j + 1] - graph.weights.offsets[j]);
  return counts;
}

TEST(Rewired, KeepsNumbersOfEdgesAndWeightsAndLosesTheRest) {
  const Graph<double> graph = planted(3, 20, 0.6, 0.05, 1), other = rewired(graph, 2);
  EXPECT_EQ(numbers_of_edges(graph), numbers_of_edges(other));
  auto weights = graph.weights.values, other_weights = other.weights.values;
  std::ranges::sort(weights);
  std::ranges::sort(other_weights);
  EXPECT_EQ(weights, other_weights);
  Index within = 0;
  for (Index j = 0; j < other.nodes(); ++j) {
    for (Index e = other.weights.offsets[j]; e < other.weights.offsets[j + 1]; ++e) {
      EXPECT_NE(other.weights.indices[e], j);
      within += other.weights.indices[e] / 20 == j / 20;
    }
  }
  // By chance 19 of 59 partners are of the own group.
  EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(other.weights.nonzeros()), 19.0 / 59, 0.08);
}

TEST(ChooseCommunities, FindsPlantedGroupsAndNoneInRandomGraphs) {
  for (const Index groups : {2, 4, 7}) EXPECT_EQ(choose_communities(planted(groups, 20, 0.6, 0.02, 3), 0).k, groups);
  for (const std::uint64_t seed : {4, 5, 6}) EXPECT_EQ(choose_communities(planted(1, 80, 0.1, 0, seed), 0).k, 1);
}

TEST(ChooseCommunities, OfAPathStarAndOneEdge) {
  EXPECT_EQ(choose_communities(graph_from_edges<double>(2, std::vector<Edge>{{0, 1, 1}}), 0).k, 1);
  std::vector<Edge> star;
  for (RowIndex i = 1; i < 9; ++i) star.push_back({0, i, 1});
  EXPECT_EQ(choose_communities(graph_from_edges<double>(9, star), 0).k, 1);
  EXPECT_THROW(choose_communities(graph_from_edges<double>(3, std::vector<Edge>{}), 0), InvalidArgument);
}

}  // namespace
}  // namespace copse
