#include "copse/graph/cluster_graph.h"

#include <gmock/gmock.h>

#include <Eigen/Eigenvalues>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/graph.h"
#include "copse/graph/normalize.h"
#include "copse/graph/read_graph.h"
#include "copse/graph/spectral.h"
#include "copse/io/matrix_file.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/clustering.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr GraphStart all_starts[] = {GraphStart::multilevel, GraphStart::spectral, GraphStart::random};

Graph<float> planted_graph(Index nodes, Index k, std::vector<Index>& labels, std::uint64_t seed = 1) {
  auto planted = generate_graph<float>({.nodes = nodes, .k = k, .degree = 20, .mixing = 0.15, .seed = seed});
  labels = planted.labels;
  return {std::get<SparseMatrix<float>>(std::move(planted.data.values)), {}};
}

TEST(LeadingEigenpairs, EqualThoseOfADenseSolver) {
  std::vector<Index> labels;
  const auto graph = planted_graph(900, 6, labels);
  const auto weights = normalized<float>(graph.weights, 0.1);
  SparseMatrix<double> a{.rows = 900, .cols = 900, .offsets = weights.offsets, .indices = weights.indices};
  a.values.assign(weights.values.begin(), weights.values.end());
  const auto found = leading_eigenpairs<double>(SparseData<double>(a), 8, 3, 1e-7);
  const auto dense = testing::to_dense(a);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::Map<const Eigen::MatrixXd>(dense.data(), 900, 900));
  for (Index c = 0; c < 8; ++c) {
    EXPECT_NEAR(found.values[c], solver.eigenvalues()(899 - c), 1e-7);
    // A x = value x.
    for (Index i = 0; i < 900; ++i) {
      double product = 0;
      for (Index j = 0; j < 900; ++j) product += dense(i, j) * found.vectors(j, c);
      ASSERT_NEAR(product, found.values[c] * found.vectors(i, c), 1e-6);
    }
  }
}

TEST(LeadingEigenpairs, FindRepeatedEigenvaluesOfComponents) {
  // Six components of 500 nodes: the eigenvalue 1 of the normalized graph, six times.
  std::vector<Edge> edges;
  Random random(2);
  for (RowIndex piece = 0; piece < 6; ++piece) {
    for (int e = 0; e < 4000; ++e)
      edges.push_back({static_cast<RowIndex>(500 * piece + random.below(500)),
                       static_cast<RowIndex>(500 * piece + random.below(500))});
    for (RowIndex v = 1; v < 500; ++v)
      edges.push_back({static_cast<RowIndex>(500 * piece), static_cast<RowIndex>(500 * piece + v), 0.1});
  }
  const auto a = normalized<float>(graph_from_edges<float>(3000, edges).weights, 0);
  const auto found = leading_eigenpairs_by_component<float>(a, 7, 1);
  for (Index c = 0; c < 6; ++c) EXPECT_NEAR(found.values[c], 1, 1e-5);
  EXPECT_LT(found.values[6], 0.9);
  const auto labels = cluster_qr(leading_eigenpairs_by_component<float>(a, 6, 1).vectors);
  for (Index v = 0; v < 3000; ++v) EXPECT_EQ(labels[v], labels[v / 500 * 500]);
  EXPECT_EQ((std::set<Index>(labels.begin(), labels.end()).size()), 6u);
}

TEST(ClusterGraph, EveryStartGivesAComponentAClusterOfItsOwn) {
  // A chain of dense groups and a sparse ring: with damped degrees, the second eigenvalue of the chain is larger than
  // the first of the ring.
  std::vector<Edge> edges;
  for (RowIndex g = 0; g < 4; ++g) {
    for (RowIndex v = 0; v < 20; ++v) {
      for (RowIndex u = 0; u < v; ++u) edges.push_back({20 * g + u, 20 * g + v, 1});
    }
    if (g > 0) edges.push_back({20 * g - 1, 20 * g, 1});
  }
  for (RowIndex v = 0; v < 60; ++v) edges.push_back({80 + v, 80 + (v + 1) % 60, 0.2});
  const auto graph = graph_from_edges<float>(140, edges);
  for (const GraphStart start : {GraphStart::multilevel, GraphStart::spectral}) {
    const auto found = cluster_graph(graph, {.k = 2, .start = start});
    EXPECT_EQ(found.pieces, 0);
    for (Index v = 0; v < 140; ++v) EXPECT_EQ(found.labels[v], found.labels[v < 80 ? 0 : 80]) << v;
    EXPECT_NE(found.labels[0], found.labels[80]);
  }
}

TEST(ClusterGraph, TheLargestMembershipIsThatOfTheLabel) {
  int of_start = 0;
  for (const double mixing : {0.2, 0.5, 0.6}) {
    auto planted = generate_graph<double>({.nodes = 600, .k = 8, .degree = 12, .mixing = mixing, .seed = 5});
    const Graph<double> graph{std::get<SparseMatrix<double>>(std::move(planted.data.values)), {}};
    const auto found = cluster_graph(graph, {.k = 8});
    of_start += found.labels_of_start;
    for (Index v = 0; v < 600; ++v) {
      if (found.labels[v] >= 8) continue;
      const auto row = found.weights.row(v);
      double sum = 0;
      for (const double share : row) sum += share;
      EXPECT_NEAR(sum, 1, 1e-9) << v;
      EXPECT_EQ(row[found.labels[v]], *std::max_element(row.begin(), row.end())) << v << " at mixing " << mixing;
    }
  }
  EXPECT_GT(of_start, 0);
}

TEST(ClusterQr, GivesRowsOfZerosNoLabel) {
  Matrix<double> vectors(4, 2);
  vectors(0, 0) = vectors(1, 0) = vectors(3, 1) = 1;
  const auto labels = cluster_qr(vectors);
  EXPECT_EQ(labels[0], labels[1]);
  EXPECT_NE(labels[0], labels[3]);
  EXPECT_EQ(labels[2], -1);
  EXPECT_THAT(cluster_qr(Matrix<double>(0, 0)), IsEmpty());
}

TEST(ClusterGraph, FindsPlantedGroupsFromEveryStart) {
  std::vector<Index> labels;
  const auto graph = planted_graph(1500, 6, labels);
  for (const GraphStart start : all_starts) {
    for (const LabelSource source : {LabelSource::better, LabelSource::factor}) {
      const auto found =
          cluster_graph(graph, {.k = 6, .start = start, .runs = start == GraphStart::random ? 5 : 1, .labels = source});
      EXPECT_GE(compare_clusterings(found.labels, labels).nmi, 0.99) << static_cast<int>(start);
      EXPECT_THAT(found.notes, IsEmpty());
      for (Index i = 0; i < 1500; ++i) {
        float sum = 0;
        for (const float weight : found.weights.row(i)) sum += weight;
        ASSERT_NEAR(sum, 1, 1e-5);
      }
    }
  }
}

TEST(ClusterGraph, GivesTheSameBitsForAnyNumberOfThreads) {
  std::vector<Index> labels;
  const auto graph = planted_graph(3000, 5, labels);
  for (const GraphStart start : all_starts) {
    GraphClusters<float> one, three;
    const GraphClusterOptions options = {.k = 5, .start = start, .runs = 2, .max_iterations = 5, .seed = 4};
    with_threads(1, nullptr, [&] { one = cluster_graph(graph, options); });
    with_threads(3, nullptr, [&] { three = cluster_graph(graph, options); });
    EXPECT_EQ(one.b, three.b);
    EXPECT_EQ(one.weights, three.weights);
    EXPECT_EQ(one.labels, three.labels);
  }
}

TEST(ClusterGraph, KeepsTheRunThatWasAskedFor) {
  std::vector<Index> labels;
  const auto graph = planted_graph(400, 8, labels, 5);
  for (const RunChoice choice : {RunChoice::modularity, RunChoice::normalized_cut, RunChoice::objective}) {
    const auto found =
        cluster_graph(graph, {.k = 8, .start = GraphStart::random, .runs = 6, .choice = choice, .max_iterations = 20});
    ASSERT_EQ(found.runs.size(), 6u);
    const GraphRun& best = found.runs[found.best_run];
    for (const GraphRun& run : found.runs) {
      if (choice == RunChoice::modularity) {
        EXPECT_LE(run.modularity, best.modularity);
      } else if (choice == RunChoice::normalized_cut) {
        EXPECT_GE(run.normalized_cut, best.normalized_cut);
      } else {
        EXPECT_GE(run.relative_error, best.relative_error);
      }
    }
    EXPECT_NEAR(found.quality.modularity, best.modularity, 1e-9);
  }
}

TEST(ClusterGraph, SetsSmallPiecesAside) {
  std::vector<Index> labels;
  auto graph = planted_graph(300, 3, labels);
  std::vector<Edge> edges;
  for (Index j = 0; j < 300; ++j) {
    for (Index p = graph.weights.offsets[j]; p < graph.weights.offsets[j + 1]; ++p) {
      if (graph.weights.indices[p] < j) edges.push_back({graph.weights.indices[p], static_cast<RowIndex>(j)});
    }
  }
  edges.push_back({301, 302});  // a pair; 300 and 303 are isolated
  const auto with_pieces = graph_from_edges<float>(304, edges);
  const auto found = cluster_graph(with_pieces, {.k = 3});
  EXPECT_EQ(found.pieces, 3);
  EXPECT_EQ(found.nodes_set_aside, 4);
  EXPECT_EQ(found.labels[300], 3);
  EXPECT_EQ(found.labels[301], 4);
  EXPECT_EQ(found.labels[302], 4);
  EXPECT_EQ(found.labels[303], 5);
  EXPECT_EQ(found.sizes.size(), 6u);
  EXPECT_THAT(found.notes, Contains(HasSubstr("3 small pieces of the graph with 4 nodes")));
  const std::vector<Index> core(found.labels.begin(), found.labels.begin() + 300);
  EXPECT_EQ(core, cluster_graph(graph, {.k = 3}).labels);
  // With a bound of the caller's own the pair takes part.
  EXPECT_EQ(cluster_graph(with_pieces, {.k = 4, .least_component = 2}).pieces, 2);
}

TEST(ClusterGraph, StandsDegenerateGraphs) {
  std::vector<Edge> star, complete, pairs;
  for (RowIndex v = 1; v < 20; ++v) {
    star.push_back({0, v});
    for (RowIndex u = 0; u < v; ++u) complete.push_back({u, v});
    if (v % 2 == 1) pairs.push_back({static_cast<RowIndex>(v - 1), v});
  }
  for (const auto& edges : {std::vector<Edge>{}, star, complete, pairs}) {
    const auto graph = graph_from_edges<double>(20, edges);
    for (const GraphStart start : all_starts) {
      for (const Index k : {1, 2, 9, 20}) {
        const auto found = cluster_graph(graph, {.k = k, .start = start, .max_iterations = 20});
        for (const Index label : found.labels) EXPECT_GE(label, 0);
        EXPECT_EQ(found.labels.size(), 20u);
        for (const double value : found.b.values()) EXPECT_TRUE(std::isfinite(value));
      }
    }
  }
  const auto one = cluster_graph(graph_from_edges<float>(1, {}), {.k = 1});
  EXPECT_EQ(one.labels.size(), 1u);
  EXPECT_THROW(cluster_graph(graph_from_edges<float>(0, {}), {.k = 1}), InvalidArgument);
  EXPECT_THROW(cluster_graph(graph_from_edges<float>(3, {}), {.k = 4}), InvalidArgument);
  EXPECT_THROW(cluster_graph(graph_from_edges<float>(3, {}), {.k = 0}), InvalidArgument);
}

TEST(ClusterGraph, SaysWhenTheGraphHasTooFewNonnegativeEigenvalues) {
  std::vector<Edge> complete;
  for (RowIndex v = 1; v < 20; ++v) {
    for (RowIndex u = 0; u < v; ++u) complete.push_back({u, v});
  }
  const auto graph = graph_from_edges<double>(20, complete);  // one eigenvalue is positive, 19 are negative
  EXPECT_THAT(cluster_graph(graph, {.k = 2}).notes, Contains(HasSubstr("fewer than 2 eigenvalues")));
  EXPECT_THAT(cluster_graph(graph, {.k = 1}).notes, IsEmpty());
}

TEST(ClusterGraph, FindsTheGroupsOfLfrGraphsExactly) {
  const char* folder = std::getenv("COPSE_DATA");
  if (folder == nullptr) GTEST_SKIP() << "COPSE_DATA names no folder with graphs";
  for (const std::string name : {"graph_lfr_300_mix20", "graph_lfr_600_mix05", "graph_lfr_1000"}) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is missing";
    const std::vector<std::string> classes = read_names(path / "labels.txt");
    std::vector<std::string> nodes;
    for (std::size_t v = 0; v < classes.size(); ++v) nodes.push_back(std::to_string(v));
    std::vector<Index> truth;
    std::vector<std::string> distinct;
    for (const std::string& label : classes) {
      const auto found = std::find(distinct.begin(), distinct.end(), label);
      truth.push_back(found - distinct.begin());
      if (found == distinct.end()) distinct.push_back(label);
    }
    const auto file = read_graph<float>(path / "edges.tsv.gz", {.nodes = nodes});
    for (const LabelSource source : {LabelSource::better, LabelSource::factor}) {
      const auto found = cluster_graph(file.graph, {.k = static_cast<Index>(distinct.size()), .labels = source});
      EXPECT_EQ(compare_clusterings(found.labels, truth).accuracy, 1) << name;
    }
  }
}

// Two communities of a sparse web with few hubs, from which threads and small trees hang, and beside which loose pieces
// float. Labels of the loose pieces are -1.
Graph<float> web(Index core, std::vector<Index>& labels, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> reach{0};
  for (Index i = 0; i < core; ++i) reach.push_back(reach.back() + std::pow(0.02 + random.uniform(), -0.6));
  const auto draw = [&] {
    const double at = random.uniform() * reach.back();
    return static_cast<RowIndex>(std::upper_bound(reach.begin(), reach.end(), at) - reach.begin() - 1);
  };
  labels.clear();
  for (Index i = 0; i < core; ++i) labels.push_back(random.uniform() < 0.5);
  std::vector<Edge> edges;
  while (static_cast<Index>(edges.size()) < 3 * core) {
    const RowIndex i = draw(), j = draw();
    if (i != j && (labels[i] == labels[j] || random.uniform() < 0.15)) edges.push_back({i, j});
  }
  const auto add = [&](Index label) {
    labels.push_back(label);
    return static_cast<RowIndex>(labels.size() - 1);
  };
  for (Index tree = 0; tree < core / 20; ++tree) {  // hanging from a node of the core
    RowIndex at = static_cast<RowIndex>(random.uniform() * static_cast<double>(core));
    const Index length = 3 + static_cast<Index>(random.uniform() * 8);
    for (Index node = 0; node < length; ++node) {
      const RowIndex next = add(labels[at]);
      edges.push_back({at, next});
      if (random.uniform() < 0.7) at = next;
    }
  }
  for (Index piece = 0; piece < core / 30; ++piece) {
    RowIndex at = add(-1);
    for (Index node = static_cast<Index>(random.uniform() * 6); node > 0; --node) {
      const RowIndex next = add(-1);
      edges.push_back({at, next});
      at = next;
    }
  }
  return graph_from_edges<float>(static_cast<Index>(labels.size()), edges);
}

// Agreement on the nodes whose label is known.
double agreement(const std::vector<Index>& found, const std::vector<Index>& labels) {
  std::vector<Index> x, y;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    x.push_back(found[i]);
    y.push_back(labels[i]);
  }
  return compare_clusterings(x, y).accuracy;
}

TEST(ClusterGraph, LoosePiecesDoNotTakeTheClusters) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    std::vector<Index> labels;
    const auto graph = web(1000, labels, seed);
    for (const GraphStart start : all_starts) {
      GraphClusterOptions options{.k = 2, .start = start, .runs = start == GraphStart::random ? 5 : 1};
      options.labels = LabelSource::factor;
      const auto found = cluster_graph(graph, options);
      EXPECT_GT(agreement(found.labels, labels), 0.9) << seed;
      EXPECT_GT(found.pieces, 20);
      EXPECT_GT(found.nodes_hanging, 100);
      // Eigenvectors of the whole graph lock on to what is loose, with the scaling of the papers and also with damped
      // degrees.
      if (start != GraphStart::spectral) continue;
      options.least_component = 0;
      EXPECT_LT(agreement(cluster_graph(graph, options).labels, labels), 0.9) << seed;
      options.tau = 0;
      EXPECT_LT(agreement(cluster_graph(graph, options).labels, labels), 0.7) << seed;
    }
  }
}

TEST(ClusterGraph, BlocksFindGroupsThatAvoidEachOther) {
  Random random(4);
  std::vector<Edge> edges;
  std::vector<Index> labels;
  for (Index i = 0; i < 300; ++i) {
    labels.push_back(static_cast<Index>(random.uniform() * 2));
    for (Index j = 0; j < i; ++j) {
      if (random.uniform() < (labels[i] == labels[j] ? 0.01 : 0.08))
        edges.push_back({static_cast<RowIndex>(i), static_cast<RowIndex>(j)});
    }
  }
  const auto graph = graph_from_edges<float>(300, edges);
  for (const GraphStart start : all_starts) {
    const auto found = cluster_graph(graph, {.k = 2, .model = GraphModel::blocks, .start = start});
    EXPECT_GT(compare_clusterings(found.labels, labels).accuracy, 0.97);
    ASSERT_EQ(found.blocks.rows(), 2);
    EXPECT_GT(found.blocks(0, 1), 2 * found.blocks(0, 0));
    for (Index i = 0; i < 300; ++i) {
      if (found.weights(i, 0) + found.weights(i, 1) > 0) {
        EXPECT_NEAR(found.weights(i, 0) + found.weights(i, 1), 1, 1e-5);
      }
    }
    EXPECT_LT(found.quality.modularity, 0);
  }
  const auto symmetric = cluster_graph(graph, {.k = 2});
  EXPECT_EQ(symmetric.blocks.rows(), 0);
  EXPECT_LT(compare_clusterings(symmetric.labels, labels).accuracy, 0.7);
}

}  // namespace
}  // namespace copse
