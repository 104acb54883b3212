// Repeated bisection, trees by K-means, kernel K-means and spectral clustering.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/cluster/bisecting.h"
#include "copse/cluster/kernel_k_means.h"
#include "copse/cluster/spectral_clustering.h"
#include "copse/generate/corpus.h"
#include "copse/generate/mixture.h"
#include "copse/graph/quality.h"
#include "copse/measure/clustering.h"

namespace copse {
namespace {

// Points on a line: groups of groups.
Dataset<double> line(const std::vector<double>& places) {
  Matrix<double> items(static_cast<Index>(places.size()), 1);
  for (std::size_t j = 0; j < places.size(); ++j) items(static_cast<Index>(j), 0) = places[j];
  Dataset<double> data;
  data.values = std::move(items);
  return data;
}

// Groups of `size` nodes, joined within with chance p_in and between with p_out.
Graph<double> blocks(Index groups, Index size, double p_in, double p_out, std::uint64_t seed) {
  Random random(seed);
  std::vector<Edge> edges;
  for (Index i = 0; i < groups * size; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (random.uniform() < (i / size == j / size ? p_in : p_out))
        edges.push_back({static_cast<RowIndex>(i), static_cast<RowIndex>(j), 0.5 + random.uniform()});
    }
  }
  return graph_from_edges<double>(groups * size, edges);
}

std::vector<Index> planted(Index groups, Index size) {
  std::vector<Index> labels;
  for (Index i = 0; i < groups * size; ++i) labels.push_back(i / size);
  return labels;
}

double agreement(const std::vector<Index>& found, const std::vector<Index>& truth) {
  return compare_clusterings(found, truth).ari;
}

TEST(RepeatedBisection, SplitsWhereTheGainIsLargest) {
  // The whole falls into {0, 1}, far from {100, 104, 110}; then the split of the latter gains most.
  const auto data = line({0, 1, 100, 104, 110});
  BisectingOptions options{.clusters = 3, .spherical = false};
  const auto found = repeated_bisection(data, options);
  EXPECT_EQ(found.labels, (std::vector<Index>{0, 0, 1, 1, 2}));
  EXPECT_NEAR(found.objective, 0.5 + 8, 1e-9);
  EXPECT_NEAR(found.centres(0, 1), 102, 1e-9);
  EXPECT_EQ(found.history.size(), 2U);
  EXPECT_NEAR(found.history.back().objective, found.objective, 1e-9);
  // By size the first split leaves three items on the right as well; with a fourth on the left the rule shows.
  const auto more = line({0, 0.1, 0.2, 0.3, 100, 104, 110});
  options.pick = Bisect::size;
  EXPECT_EQ(repeated_bisection(more, options).labels, (std::vector<Index>{0, 0, 1, 1, 2, 2, 2}));
  options.pick = Bisect::objective;
  EXPECT_EQ(repeated_bisection(more, options).labels, (std::vector<Index>{0, 0, 0, 0, 1, 1, 2}));
}

TEST(RepeatedBisection, ObjectivesFallAndClustersAreFound) {
  const auto corpus = generate_corpus<float>({.documents = 1200, .terms = 2000, .k = 5, .strength = 3, .seed = 5});
  const auto found = repeated_bisection(corpus.data, {.clusters = 5});
  EXPECT_GT(agreement(found.labels, corpus.labels), 0.9);
  for (std::size_t t = 1; t < found.history.size(); ++t)
    EXPECT_LT(found.history[t].objective, found.history[t - 1].objective);
  // I2 of the labels, from the definition.
  double objective = 0;
  for (Index c = 0; c < 5; ++c) {
    std::vector<double> sum(static_cast<std::size_t>(corpus.data.features()), 0.0);
    double size = 0, square = 0;
    for (Index j = 0; j < corpus.data.items(); ++j) {
      if (found.labels[j] != c) continue;
      double length = 0;
      visit_nonzeros(corpus.data, j, [&](Index, float value) { length += static_cast<double>(value) * value; });
      size += 1;
      visit_nonzeros(corpus.data, j, [&](Index i, float value) { sum[i] += value / std::sqrt(length); });
    }
    for (const double value : sum) square += value * value;
    objective += size - std::sqrt(square);
  }
  EXPECT_NEAR(found.objective, objective, 1e-4 * objective);
  KMeansResult<float> one, two;
  with_threads(1, nullptr, [&] { one = repeated_bisection(corpus.data, {.clusters = 4, .trials = 2}); });
  with_threads(3, nullptr, [&] { two = repeated_bisection(corpus.data, {.clusters = 4, .trials = 2}); });
  EXPECT_EQ(one.labels, two.labels);
  EXPECT_EQ(one.centres, two.centres);
}

TEST(RepeatedBisection, EndsWhereNothingDiffers) {
  const auto found = repeated_bisection(line({1, 1, 1, 2, 2}), {.clusters = 4, .spherical = false});
  EXPECT_EQ(found.labels, (std::vector<Index>{0, 0, 0, 1, 1}));
  EXPECT_THROW(repeated_bisection(line({1}), {.clusters = 2}), InvalidArgument);
  EXPECT_EQ(repeated_bisection(line({3}), {.clusters = 1}).labels, std::vector<Index>{0});
}

TEST(KMeansTree, FindsTheClustersOfAMixture) {
  const auto mixture = generate_mixture<double>({.k = 6, .features = 60, .items = 300, .seed = 3});
  const auto data = k_means_tree_data(mixture.data);
  const Tree tree = build_tree(*data, TreeOptions{.leaves = 6, .outlier_trials = 5, .seed = 1});
  EXPECT_EQ(tree.leaves, 6);
  EXPECT_GT(compare_clusterings(tree.partition(tree.splits()), mixture.labels).nmi, 0.8);
  // The topic of a child of the root is the mean of its items, at unit length.
  for (const Index child : {tree.nodes[0].first, tree.nodes[0].second}) {
    std::vector<double> mean(60, 0.0);
    double square = 0;
    for (const RowIndex j : tree.nodes[child].items)
      visit_nonzeros(mixture.data, j, [&](Index i, double value) { mean[i] += value; });
    for (const double value : mean) square += value * value;
    const auto& topic = tree.nodes[child].topic;
    for (std::size_t t = 0; t < topic.terms.size(); ++t)
      EXPECT_NEAR(topic.weights[t], mean[topic.terms[t]] / std::sqrt(square), 1e-9);
  }
}

TEST(KernelKMeans, FindsPlantedGroupsAndNeverRaisesTheCut) {
  const Graph<double> graph = blocks(4, 40, 0.4, 0.02, 7);
  for (const CentreStart start : {CentreStart::plus_plus, CentreStart::random}) {
    const auto found = kernel_k_means<double>(graph.weights, {.clusters = 4, .start = start, .runs = 10});
    EXPECT_EQ(agreement(found.labels, planted(4, 40)), 1.0);
    EXPECT_NEAR(found.objective, graph_quality<double>(graph.weights, found.labels).normalized_cut, 1e-12);
    for (std::size_t t = 1; t < found.history.size(); ++t)
      EXPECT_LE(found.history[t].objective, found.history[t - 1].objective);
  }
}

TEST(KernelKMeans, NoSingleMoveLowersTheCut) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Graph<double> graph = blocks(3, 15, 0.3, 0.15, 20 + seed);
    const auto found = kernel_k_means<double>(graph.weights, {.clusters = 5, .max_iterations = 1000, .seed = seed});
    std::vector<Index> labels = found.labels;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Index own = labels[i];
      if (own < 0 || std::ranges::count(labels, own) < 2) continue;
      for (Index c = 0; c < 5; ++c) {
        labels[i] = c;
        EXPECT_GE(graph_quality<double>(graph.weights, labels).normalized_cut, found.objective - 1e-9);
      }
      labels[i] = own;
    }
  }
}

TEST(KernelKMeans, ABatchIsThatOfTheDefinition) {
  // With phi(i) = K(i, :) for K = D^-1 A D^-1 and weights d, one batch from given labels.
  const Graph<double> graph = blocks(3, 12, 0.5, 0.1, 3);
  const Index n = graph.nodes();
  const std::vector<double> degree = degrees<double>(graph.weights);
  Matrix<double> kernel(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index p = graph.weights.offsets[j]; p < graph.weights.offsets[j + 1]; ++p)
      kernel(graph.weights.indices[p], j) = graph.weights.values[p] / (degree[j] * degree[graph.weights.indices[p]]);
  }
  std::vector<Index> start = planted(3, 12);
  for (Index i = 0; i < n; i += 5) start[i] = (start[i] + 1) % 3;
  std::vector<Index> expected(start);
  for (Index i = 0; i < n; ++i) {
    std::vector<double> distance;
    for (Index c = 0; c < 3; ++c) {
      double volume = 0, first = 0, second = 0;
      for (Index j = 0; j < n; ++j) {
        if (start[j] != c) continue;
        volume += degree[j];
        first += degree[j] * kernel(i, j);
        for (Index l = 0; l < n; ++l) {
          if (start[l] == c) second += degree[j] * degree[l] * kernel(j, l);
        }
      }
      distance.push_back(kernel(i, i) - 2 * first / volume + second / (volume * volume));
    }
    expected[i] = std::ranges::min_element(distance) - distance.begin();
  }
  const auto found =
      kernel_k_means<double>(graph.weights, {.clusters = 3, .online = false, .max_iterations = 1}, start);
  EXPECT_EQ(found.labels, expected);
}

TEST(KernelKMeans, NodesWithoutEdgesHaveNoCluster) {
  const std::vector<Edge> edges = {{0, 1, 1.0}, {1, 2, 1.0}, {0, 2, 1.0}, {4, 5, 1.0}};
  const auto graph = graph_from_edges<double>(6, edges);
  const auto found = kernel_k_means<double>(graph.weights, {.clusters = 2});
  EXPECT_EQ(found.labels[3], -1);
  EXPECT_EQ(found.labels[0], found.labels[2]);
  EXPECT_NE(found.labels[0], found.labels[4]);
  EXPECT_NEAR(found.objective, 0, 1e-12);
  EXPECT_THROW(kernel_k_means<double>(graph.weights, {.clusters = 7}), InvalidArgument);
  EXPECT_EQ(kernel_k_means<double>(graph_from_edges<double>(3, {}).weights, {.clusters = 2}).labels,
            std::vector<Index>(3, -1));
}

TEST(SpectralClustering, FindsPlantedGroups) {
  const Graph<double> graph = blocks(5, 30, 0.5, 0.03, 11);
  for (const SpectralLabels labels : {SpectralLabels::k_means, SpectralLabels::discretized, SpectralLabels::qr}) {
    const auto found = spectral_clustering<double>(graph.weights, {.clusters = 5, .labels = labels});
    EXPECT_EQ(agreement(found.labels, planted(5, 30)), 1.0);
    EXPECT_TRUE(found.converged);
    EXPECT_TRUE(found.notes.empty());
    EXPECT_NEAR(found.values[0], 1, 1e-6);
    // |A x - value x| of the normalized graph.
    const std::vector<double> degree = degrees<double>(graph.weights);
    for (Index c = 0; c < 5; ++c) {
      double residual = 0;
      for (Index j = 0; j < graph.nodes(); ++j) {
        double product = 0;
        for (Index p = graph.weights.offsets[j]; p < graph.weights.offsets[j + 1]; ++p) {
          const Index i = graph.weights.indices[p];
          product += graph.weights.values[p] * found.vectors(i, c) / std::sqrt(degree[i] * degree[j]);
        }
        residual = std::max(residual, std::abs(product - found.values[c] * found.vectors(j, c)));
      }
      EXPECT_LT(residual, 1e-3);
    }
  }
}

TEST(SpectralClustering, ComponentsAreClusters) {
  // Three cliques without an edge between them, and a node without any.
  std::vector<Edge> edges;
  for (RowIndex g = 0; g < 3; ++g) {
    for (RowIndex i = 0; i < 5 + g; ++i) {
      for (RowIndex j = 0; j < i; ++j) edges.push_back({g * 8 + i, g * 8 + j, 1.0});
    }
  }
  const auto graph = graph_from_edges<float>(24, edges);
  for (const SpectralLabels labels : {SpectralLabels::k_means, SpectralLabels::discretized, SpectralLabels::qr}) {
    const auto found = spectral_clustering<float>(graph.weights, {.clusters = 3, .labels = labels});
    std::set<Index> seen;
    for (Index g = 0; g < 3; ++g) {
      seen.insert(found.labels[g * 8]);
      for (Index i = 0; i < 5 + g; ++i) EXPECT_EQ(found.labels[g * 8 + i], found.labels[g * 8]);
      for (Index i = 5 + g; i < 8; ++i) EXPECT_EQ(found.labels[g * 8 + i], -1);
    }
    EXPECT_EQ(seen, (std::set<Index>{0, 1, 2}));
  }
  EXPECT_THROW(spectral_clustering<float>(graph.weights, {.clusters = 19}), InvalidArgument);
}

TEST(Discretize, FindsTheRotationOfAPartition) {
  // Rows of a partition matrix, each with a length of its own, turned by a rotation of three dimensions.
  Random random(5);
  Matrix<double> rows(60, 3);
  const double turn[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}};
  std::vector<Index> truth;
  for (Index i = 0; i < 60; ++i) {
    truth.push_back(random.below(3));
    const double length = 0.1 + random.uniform();
    for (Index c = 0; c < 3; ++c) rows(i, c) = length * turn[truth.back()][c];
  }
  const Discretized found = discretize(rows, 1, 1);
  EXPECT_EQ(agreement(found.labels, truth), 1.0);
  EXPECT_NEAR(found.objective, 0, 1e-9);
}

}  // namespace
}  // namespace copse
