#include "copse/graph/communities.h"

#include <gtest/gtest.h>

#include <set>

#include "copse/base/error.h"
#include "copse/base/random.h"
#include "copse/generate/graph.h"
#include "copse/graph/graph.h"
#include "copse/graph/quality.h"
#include "copse/measure/clustering.h"

namespace copse {
namespace {

Graph<double> random_graph(Index nodes, int edges, std::uint64_t seed) {
  Random random(seed);
  std::vector<Edge> list;
  for (int e = 0; e < edges; ++e)
    list.push_back({static_cast<RowIndex>(random.below(nodes)), static_cast<RowIndex>(random.below(nodes)),
                    random.uniform() + 0.01});
  return graph_from_edges<double>(nodes, list);
}

double modularity(const Graph<double>& graph, const std::vector<Index>& labels) {
  return graph_quality<double>(graph.weights, labels).modularity;
}

// The best of all partitions, by enumeration of restricted growth strings.
double best_modularity(const Graph<double>& graph) {
  std::vector<Index> labels(static_cast<std::size_t>(graph.nodes()), 0);
  double best = -1;
  const std::function<void(Index, Index)> extend = [&](Index node, Index groups) {
    if (node == graph.nodes()) {
      best = std::max(best, modularity(graph, labels));
      return;
    }
    for (Index c = 0; c <= groups; ++c) {
      labels[node] = c;
      extend(node + 1, std::max(groups, c + 1));
    }
  };
  extend(0, 0);
  return best;
}

TEST(Communities, ComeCloseToTheBestPartitionOfSmallGraphs) {
  double found = 0, best = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto graph = random_graph(8, 14, seed);
    const double q = modularity(graph, communities<double>(graph.weights));
    const double most = best_modularity(graph);
    EXPECT_LE(q, most + 1e-12);
    found += q;
    best += most;
  }
  EXPECT_GE(found, 0.97 * best);
}

// No node gains by a move, no two groups by a merger, and every group is connected.
TEST(Communities, AreConnectedAndCannotBeImprovedBySimpleSteps) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto graph = random_graph(60, 150, seed);
    const auto labels = communities<double>(graph.weights, {.rounds = 20, .seed = seed});
    const double q = modularity(graph, labels);
    const Index groups = *std::max_element(labels.begin(), labels.end()) + 1;
    for (Index v = 0; v < 60; ++v) {
      for (Index c = 0; c <= groups; ++c) {
        auto moved = labels;
        moved[v] = c;
        EXPECT_LE(modularity(graph, moved), q + 1e-9);
      }
    }
    for (Index c = 0; c < groups; ++c) {
      std::vector<Index> members;
      for (Index v = 0; v < 60; ++v) {
        if (labels[v] == c) members.push_back(v);
      }
      EXPECT_EQ(connected_components<double>(induced(graph, members).weights).count(), 1);
      for (Index d = 0; d < c; ++d) {
        auto merged = labels;
        for (Index& label : merged) label = label == c ? d : label;
        EXPECT_LE(modularity(graph, merged), q + 1e-9);
      }
    }
  }
}

TEST(CommunitiesOfCount, GiveExactlyKGroups) {
  const auto graph = random_graph(40, 90, 3);
  for (Index k = 1; k <= 40; ++k) {
    const auto labels = communities_of_count<double>(graph.weights, k, 1).labels;
    EXPECT_EQ(std::set<Index>(labels.begin(), labels.end()).size(), static_cast<std::size_t>(k));
    EXPECT_EQ(*std::max_element(labels.begin(), labels.end()), k - 1);
  }
  EXPECT_THROW(communities_of_count<double>(graph.weights, 0, 1), InvalidArgument);
  EXPECT_THROW(communities_of_count<double>(graph.weights, 41, 1), InvalidArgument);
}

TEST(CommunitiesOfCount, StandDegenerateGraphs) {
  std::vector<Edge> star, complete, pairs;
  for (RowIndex v = 1; v < 20; ++v) {
    star.push_back({0, v});
    for (RowIndex u = 0; u < v; ++u) complete.push_back({u, v});
    if (v % 2 == 1) pairs.push_back({static_cast<RowIndex>(v - 1), v});
  }
  for (const auto& edges : {std::vector<Edge>{}, star, complete, pairs}) {
    const auto graph = graph_from_edges<float>(20, edges);
    for (const Index k : {1, 2, 7, 19, 20}) {
      const auto labels = communities_of_count<float>(graph.weights, k, 0).labels;
      EXPECT_EQ(std::set<Index>(labels.begin(), labels.end()).size(), static_cast<std::size_t>(k));
    }
  }
  EXPECT_EQ(communities_of_count<float>(graph_from_edges<float>(1, {}).weights, 1, 0).labels, std::vector<Index>{0});
}

TEST(CommunitiesOfCount, MergeManyPiecesWithoutATableOfAllPairs) {
  std::vector<Edge> edges;
  for (RowIndex v = 0; v < 8000; v += 2) edges.push_back({v, v + 1});
  const auto graph = graph_from_edges<float>(8000, edges);
  for (const Index k : {3, 2000, 3999}) {
    const auto labels = communities_of_count<float>(graph.weights, k, 0).labels;
    EXPECT_EQ(std::set<Index>(labels.begin(), labels.end()).size(), static_cast<std::size_t>(k));
  }
}

TEST(CommunitiesOfCount, JoinPartsOfAComponentFirstHoweverWeaklyTheyHangTogether) {
  // Three components of four clumps each, large and small ones; clumps hang together by edges of 1e-9.
  std::vector<Edge> edges;
  std::vector<Index> component;
  for (Index c = 0; c < 3; ++c) {
    RowIndex before = -1;
    for (const Index size : {Index(40), Index(4), Index(5), Index(25)}) {
      const auto first = static_cast<RowIndex>(component.size());
      for (RowIndex v = 0; v < size; ++v) {
        component.push_back(c);
        for (RowIndex u = 0; u < v; ++u) edges.push_back({first + u, first + v, 1});
      }
      if (before >= 0) edges.push_back({before, first, 1e-9});
      before = first;
    }
  }
  const auto graph = graph_from_edges<double>(static_cast<Index>(component.size()), edges);
  EXPECT_EQ(communities_of_count<double>(graph.weights, 3, 1).labels, component);
  const auto five = communities_of_count<double>(graph.weights, 5, 1).labels;
  for (std::size_t u = 0; u < component.size(); ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      ASSERT_TRUE(five[u] != five[v] || component[u] == component[v]) << u << " and " << v;
    }
  }
}

TEST(CommunitiesOfCount, FindPlantedGroupsOfSmallAndLargeGraphs) {
  for (const Index nodes : {600, 20000}) {
    const auto planted = generate_graph<float>({.nodes = nodes, .k = 12, .degree = 24, .mixing = 0.25, .seed = 2});
    const auto& a = std::get<SparseMatrix<float>>(planted.data.values);
    for (const Index k : {12, 6, 20}) {
      const auto found = communities_of_count<float>(a, k, 5);
      const auto agreement = compare_clusterings(found.labels, planted.labels);
      EXPECT_EQ(agreement.clusters, k);
      // Six groups that each hold two planted ones have NMI .84.
      EXPECT_GE(agreement.nmi, k == 12 ? 0.98 : 0.75) << nodes << " " << k;
    }
    EXPECT_EQ(communities_of_count<float>(a, 12, 5).labels, communities_of_count<float>(a, 12, 5).labels);
  }
}

TEST(Communities, RefuseABadResolution) {
  EXPECT_THROW(communities<double>(random_graph(5, 5, 1).weights, {.resolution = -1}), InvalidArgument);
}

}  // namespace
}  // namespace copse
