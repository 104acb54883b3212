#include "copse/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/normalize.h"
#include "copse/graph/quality.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint_of(const std::vector<Edge>& edges, Index nodes = 3) {
  try {
    graph_from_edges<float>(nodes, edges);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(GraphFromEdges, AddsBothDirectionsAndRepetitionsAndDropsLoops) {
  EdgeCounts counts;
  const std::vector<Edge> edges = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {2, 2, 7}, {3, 1, 1}, {0, 3, 0}};
  const auto graph = graph_from_edges<double>(5, edges, &counts);
  const auto dense = testing::to_dense(graph.weights);
  Matrix<double> expected(5, 5);
  expected(0, 1) = expected(1, 0) = 9;
  expected(1, 3) = expected(3, 1) = 1;
  EXPECT_EQ(dense, expected);
  EXPECT_EQ(graph.edges(), 2);
  EXPECT_EQ(counts.self_loops, 1);
  EXPECT_EQ(counts.repeated, 2);
  EXPECT_EQ(counts.zero_weights, 1);
}

TEST(GraphFromEdges, IsSymmetricToTheLastBit) {
  Random random(1);
  std::vector<Edge> edges;
  for (int e = 0; e < 5000; ++e)
    edges.push_back({static_cast<RowIndex>(random.below(60)), static_cast<RowIndex>(random.below(60)),
                     std::exp(10 * random.normal())});
  const auto graph = graph_from_edges<float>(60, edges);
  EXPECT_EQ(graph.weights, transpose<float>(graph.weights));
}

TEST(GraphFromEdges, RefusesWhatNoEdgeCanBe) {
  EXPECT_THAT(complaint_of({{0, 1, -1}}), HasSubstr("nodes 0 and 1 is negative"));
  EXPECT_THAT(complaint_of({{0, 1, std::nan("")}}), HasSubstr("is not a number (NaN)"));
  EXPECT_THAT(complaint_of({{0, 2, std::numeric_limits<double>::infinity()}}), HasSubstr("is infinite"));
  EXPECT_THAT(complaint_of({{0, 3, 1}}), HasSubstr("a graph with 3 nodes"));
  EXPECT_THAT(complaint_of({{0, 1, 3e38}, {1, 0, 3e38}}), HasSubstr("too large for this precision"));
}

TEST(GraphFromMatrix, TakesTheMeanOfBothDirections) {
  Matrix<double> a(3, 3);
  a(0, 1) = 4;
  a(1, 2) = a(2, 1) = 0.1;
  a(2, 2) = 5;
  MatrixCounts counts;
  const auto graph = graph_from_matrix<double>(testing::to_sparse(a), &counts);
  Matrix<double> expected(3, 3);
  expected(0, 1) = expected(1, 0) = 2;
  expected(1, 2) = expected(2, 1) = 0.1;
  EXPECT_EQ(testing::to_dense(graph.weights), expected);
  EXPECT_EQ(counts.self_loops, 1);
  EXPECT_EQ(counts.unequal, 1);
  EXPECT_THROW(graph_from_matrix<double>(testing::random_integer_sparse<double>(3, 4, 0.5, 1)), InvalidArgument);
}

TEST(ConnectedComponents, AreThoseOfRepeatedRelabelling) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<Edge> edges;
    for (int e = 0; e < 25; ++e)
      edges.push_back({static_cast<RowIndex>(random.below(40)), static_cast<RowIndex>(random.below(40))});
    const auto graph = graph_from_edges<float>(40, edges);
    std::vector<Index> lowest(40);
    for (Index v = 0; v < 40; ++v) lowest[v] = v;
    for (int round = 0; round < 40; ++round) {
      for (const Edge& edge : edges) lowest[edge.from] = lowest[edge.to] = std::min(lowest[edge.from], lowest[edge.to]);
    }
    std::map<Index, Index> sizes;
    for (const Index v : lowest) ++sizes[v];
    const Components found = connected_components<float>(graph.weights);
    ASSERT_EQ(found.count(), static_cast<Index>(sizes.size()));
    Index isolated = 0, label = 0;
    for (const auto& [node, size] : sizes) {
      EXPECT_EQ(found.labels[node], label);
      EXPECT_EQ(found.sizes[label++], size);
      isolated += size == 1 ? 1 : 0;
    }
    for (Index v = 0; v < 40; ++v) EXPECT_EQ(found.labels[v], found.labels[lowest[v]]);
    EXPECT_EQ(found.isolated, isolated);
  }
}

TEST(Induced, KeepsTheEdgesAmongItsNodes) {
  auto graph = graph_from_edges<float>(4, std::vector<Edge>{{0, 1, 2}, {1, 3, 3}, {2, 3, 4}});
  graph.names = {"a", "b", "c", "d"};
  const std::vector<Index> nodes = {1, 2, 3};
  const auto part = induced(graph, nodes);
  EXPECT_EQ(part.weights, (graph_from_edges<float>(3, std::vector<Edge>{{0, 2, 3}, {1, 2, 4}}).weights));
  EXPECT_THAT(part.names, ElementsAre("b", "c", "d"));
}

TEST(Normalized, DividesByTheRootsOfDampedDegrees) {
  const auto graph = graph_from_edges<double>(4, std::vector<Edge>{{0, 1, 2}, {1, 2, 3}});
  for (const double tau : {0.0, 0.1, 2.0}) {
    const auto a = testing::to_dense(normalized<double>(graph.weights, tau));
    const double damping = tau * (2 + 5 + 3 + 0) / 4;
    EXPECT_DOUBLE_EQ(a(0, 1), 2 / std::sqrt((2 + damping) * (5 + damping)));
    EXPECT_DOUBLE_EQ(a(2, 1), 3 / std::sqrt((3 + damping) * (5 + damping)));
    EXPECT_EQ(a(0, 2), 0);
  }
  EXPECT_THROW(normalized<double>(graph.weights, -1), InvalidArgument);
  EXPECT_EQ(normalized<double>(graph_from_edges<double>(0, {}).weights, 0.1).nonzeros(), 0);
}

// Straight from the definitions, on a dense matrix.
GraphQuality naive_quality(const Matrix<double>& a, const std::vector<Index>& labels, Index groups) {
  const Index n = a.rows();
  double all = 0;
  for (const double value : a.values()) all += value;
  GraphQuality quality;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (labels[i] < 0 || labels[i] != labels[j]) continue;
      double di = 0, dj = 0;
      for (Index l = 0; l < n; ++l) {
        di += a(i, l);
        dj += a(j, l);
      }
      quality.modularity += (a(i, j) - di * dj / all) / all;
      quality.coverage += a(i, j) / all;
    }
  }
  for (Index c = 0; c < groups; ++c) {
    double cut = 0, volume = 0, rest = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        (labels[i] == c ? volume : rest) += a(i, j);
        if (labels[i] == c && labels[j] != c) cut += a(i, j);
      }
    }
    if (volume > 0) quality.normalized_cut += cut / volume;
    quality.conductance.push_back(std::min(volume, rest) > 0 ? cut / std::min(volume, rest) : 0);
  }
  return quality;
}

TEST(GraphQuality, EqualsItsDefinition) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    std::vector<Edge> edges;
    for (int e = 0; e < 60; ++e)
      edges.push_back(
          {static_cast<RowIndex>(random.below(20)), static_cast<RowIndex>(random.below(20)), random.uniform()});
    const auto graph = graph_from_edges<double>(20, edges);
    std::vector<Index> labels(20);
    // Every other time one group has more than half of all weight.
    for (Index& label : labels) label = seed % 2 == 1 && random.uniform() < 0.8 ? 3 : random.below(5) - 1;
    labels[0] = 3;
    const GraphQuality found = graph_quality<double>(graph.weights, labels);
    const GraphQuality expected = naive_quality(testing::to_dense(graph.weights), labels, 4);
    EXPECT_NEAR(found.modularity, expected.modularity, 1e-12);
    EXPECT_NEAR(found.normalized_cut, expected.normalized_cut, 1e-12);
    EXPECT_NEAR(found.coverage, expected.coverage, 1e-12);
    ASSERT_EQ(found.conductance.size(), expected.conductance.size());
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(found.conductance[c], expected.conductance[c], 1e-12);
  }
}

TEST(GraphQuality, IsDefinedWithoutEdges) {
  const auto graph = graph_from_edges<double>(3, {});
  const std::vector<Index> labels = {0, 0, 1};
  const GraphQuality quality = graph_quality<double>(graph.weights, labels);
  EXPECT_EQ(quality.modularity, 0);
  EXPECT_THAT(quality.conductance, ElementsAre(0, 0));
  EXPECT_EQ(graph_quality<double>(graph_from_edges<double>(0, {}).weights, {}).normalized_cut, 0);
}

}  // namespace
}  // namespace copse
