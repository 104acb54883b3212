#include "copse/graph/block_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/graph.h"
#include "copse/graph/cluster_graph.h"
#include "copse/graph/communities.h"
#include "copse/graph/graph.h"
#include "copse/graph/normalize.h"
#include "copse/measure/clustering.h"

namespace copse {
namespace {

struct PlantedBlocks {
  Graph<double> graph;
  std::vector<Index> labels;
};

// Expected numbers of edges theta_i theta_j blocks(c, d), with weights theta from 1 to `spread`; Poisson draws by
// repeated coins, so that edges may repeat and add up.
PlantedBlocks planted_blocks(Index nodes, const Matrix<double>& blocks, double spread, std::uint64_t seed) {
  Random random(seed);
  PlantedBlocks planted;
  std::vector<double> theta;
  for (Index i = 0; i < nodes; ++i) {
    planted.labels.push_back(static_cast<Index>(random.uniform() * static_cast<double>(blocks.rows())));
    theta.push_back(std::pow(spread, random.uniform()));
  }
  std::vector<Edge> edges;
  for (Index i = 0; i < nodes; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double chance = theta[i] * theta[j] * blocks(planted.labels[i], planted.labels[j]);
      if (random.uniform() < chance) edges.push_back({static_cast<RowIndex>(i), static_cast<RowIndex>(j)});
    }
  }
  planted.graph = graph_from_edges<double>(nodes, edges);
  return planted;
}

Matrix<double> square(std::initializer_list<double> values) {
  const Index k = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(values.size()))));
  Matrix<double> m(k, k);
  std::copy(values.begin(), values.end(), m.data());
  return m;
}

double naive_objective(const SparseMatrix<double>& a, const BlockModel<double>& model) {
  double sum = 0;
  for (Index j = 0; j < a.cols; ++j) {
    std::vector<double> column(static_cast<std::size_t>(a.rows), 0.0);
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) column[a.indices[p]] = a.values[p];
    for (Index i = 0; i < a.rows; ++i) {
      const double fit = model.z[i] * model.z[j] * model.s(model.labels[i], model.labels[j]);
      sum += (column[i] - fit) * (column[i] - fit);
    }
  }
  return sum;
}

TEST(FitBlocks, ReportsTheObjectiveOfItsFactorsAndNeverRaisesIt) {
  const auto planted = planted_blocks(150, square({.2, .02, .02, .02, .2, .1, .02, .1, .05}), 3, 1);
  const auto a = normalized<double>(planted.graph.weights, 0.1);
  std::vector<Index> start;
  for (Index i = 0; i < 150; ++i) start.push_back(i % 4 - 1);
  double before = std::numeric_limits<double>::infinity();
  for (int iterations = 1; iterations < 8; ++iterations) {
    const auto model = fit_blocks<double>(a, {.rank = 3, .max_iterations = iterations, .tolerance = 0}, start);
    EXPECT_NEAR(model.objective, naive_objective(a, model), 1e-10);
    EXPECT_LE(model.objective, before + 1e-12);
    before = model.objective;
    // Z'Z = I, and S = Z'A Z.
    std::vector<double> norms(3, 0.0);
    for (Index i = 0; i < 150; ++i) norms[model.labels[i]] += model.z[i] * model.z[i];
    for (const double norm : norms) EXPECT_NEAR(norm, 1, 1e-12);
  }
}

TEST(FitBlocks, EndsWhereNoSingleNodeCanDoBetter) {
  const auto planted = planted_blocks(60, square({.3, .05, .05, .3}), 3, 2);
  const auto a = normalized<double>(planted.graph.weights, 0.1);
  const auto model =
      fit_blocks<double>(a, {.rank = 2, .max_iterations = 500, .tolerance = 0}, block_start<double>(a, 2, 0));
  const double least = naive_objective(a, model);
  for (Index i = 0; i < 60; ++i) {
    BlockModel<double> other = model;
    for (Index c = 0; c < 2; ++c) {
      other.labels[i] = c;
      for (double z = 0; z < 0.6; z += 0.01) {
        other.z[i] = z;
        ASSERT_GE(naive_objective(a, other), least - 1e-7) << i << " " << c << " " << z;
      }
    }
  }
}

TEST(FitBlocks, FindsGroupsThatSeekEachOther) {
  const auto planted = planted_blocks(400, square({.06, .004, .004, .004, .06, .004, .004, .004, .06}), 4, 3);
  const auto a = normalized<double>(planted.graph.weights, 0.1);
  const auto model = fit_blocks<double>(a, {.rank = 3}, block_start<double>(a, 3, 0));
  EXPECT_GT(compare_clusterings(model.labels, planted.labels).accuracy, 0.97);
}

TEST(FitBlocks, FindsGroupsThatAvoidEachOther) {
  // Edges run between groups and hardly within: two sides, and a ring of four.
  const std::vector<Matrix<double>> cases = {
      square({.004, .05, .05, .004}),
      square({.002, .05, .002, .05, .05, .002, .05, .002, .002, .05, .002, .02, .05, .002, .02, .05})};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto planted = planted_blocks(500, cases[c], 4, 4 + c);
    const Index k = cases[c].rows();
    const auto a = normalized<double>(planted.graph.weights, 0.1);
    double best = 0, objective = std::numeric_limits<double>::infinity();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto model = fit_blocks<double>(a, {.rank = k}, block_start<double>(a, k, seed));
      if (model.objective < objective) {
        objective = model.objective;
        best = compare_clusterings(model.labels, planted.labels).accuracy;
      }
    }
    EXPECT_GT(best, 0.93) << c;
    // Communities, which seek dense groups, miss them.
    const auto groups = communities_of_count<double>(SparseView<double>(planted.graph.weights), k, 0).labels;
    EXPECT_LT(compare_clusterings(groups, planted.labels).accuracy, 0.8) << c;
  }
}

TEST(FitBlocks, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto planted = planted_blocks(500, square({.05, .01, .01, .05}), 3, 6);
  const auto a = normalized<double>(planted.graph.weights, 0.1);
  std::vector<std::vector<double>> z;
  for (const int threads : {1, 4}) {
    with_threads(threads, nullptr,
                 [&] { z.push_back(fit_blocks<double>(a, {.rank = 2}, block_start<double>(a, 2, 1)).z); });
  }
  EXPECT_EQ(z[0], z[1]);
}

TEST(FitBlocks, StandsDegenerateGraphsAndRefusesBadOptions) {
  const auto edgeless = graph_from_edges<double>(4, {});
  const auto model = fit_blocks<double>(edgeless.weights, {.rank = 3}, std::vector<Index>(4, -1));
  std::vector<Index> sizes(3, 0);
  for (const Index label : model.labels) ++sizes.at(static_cast<std::size_t>(label));
  for (const Index size : sizes) EXPECT_GT(size, 0);
  EXPECT_EQ(model.relative_error, 0);
  const auto one = graph_from_edges<double>(1, {});
  EXPECT_EQ(fit_blocks<double>(one.weights, {.rank = 1}, {0}).labels, std::vector<Index>{0});
  EXPECT_EQ(block_start<double>(edgeless.weights, 2, 0).size(), 4);
  EXPECT_THROW(fit_blocks<double>(edgeless.weights, {.rank = 5}, std::vector<Index>(4, -1)), InvalidArgument);
  EXPECT_THROW(fit_blocks<double>(edgeless.weights, {.rank = 2}, {0, 1}), InvalidArgument);
  EXPECT_THROW(fit_blocks<double>(edgeless.weights, {.rank = 2}, {0, 1, 2, 0}), InvalidArgument);
  EXPECT_THROW(fit_blocks<double>(edgeless.weights, {.rank = 2, .tolerance = -1}, {0, 1, 0, 0}), InvalidArgument);
}

}  // namespace
}  // namespace copse
