#include "copse/cluster/gnmf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/graph.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/clustering.h"
#include "copse/nmf/clusters.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;

constexpr GnmfSolver solvers[] = {GnmfSolver::multiplicative, GnmfSolver::hals};

// Neighbours are items of the same parity.
Graph<double> graph_of(Index n, std::uint64_t seed) {
  std::vector<Edge> edges;
  Random random(seed);
  for (Index i = 0; i < n; ++i) {
    for (int e = 0; e < 4; ++e) {
      const Index j = i % 2 + 2 * random.below((n - i % 2 + 1) / 2);
      if (j != i && j < n)
        edges.push_back({static_cast<RowIndex>(i), static_cast<RowIndex>(j), 0.5 + random.uniform()});
    }
  }
  return graph_from_edges<double>(n, edges);
}

double naive_objective(const Matrix<double>& items, const Graph<double>& graph, const Matrix<double>& w,
                       const Matrix<double>& h, double lambda) {
  double sum = 0;
  for (Index j = 0; j < items.rows(); ++j) {
    for (Index i = 0; i < items.cols(); ++i) {
      double left = items(j, i);
      for (Index c = 0; c < w.cols(); ++c) left -= w(i, c) * h(j, c);
      sum += left * left;
    }
    for (Index p = graph.weights.offsets[j]; p < graph.weights.offsets[j + 1]; ++p) {
      for (Index c = 0; c < h.cols(); ++c)
        sum += lambda * graph.weights.values[p] * std::pow(h(j, c) - h(graph.weights.indices[p], c), 2) / 2;
    }
  }
  return sum;
}

TEST(Gnmf, TheObjectiveNeverRises) {
  const Matrix<double> items = random_dense<double>(60, 20, 3);
  const DenseData<double> x(items);
  const Graph<double> graph = graph_of(60, 1);
  for (const GnmfSolver solver : solvers) {
    for (const double lambda : {0.0, 0.1, 1.0, 100.0}) {
      const auto result =
          gnmf<double>(x, graph.weights, {.rank = 4, .lambda = lambda, .solver = solver, .tolerance = 0, .seed = 2});
      for (std::size_t e = 1; e < result.history.size(); ++e) {
        EXPECT_LE(result.history[e].objective, result.history[e - 1].objective * (1 + 1e-9)) << lambda << " " << e;
      }
      EXPECT_LT(result.objective, result.history.front().objective);
    }
  }
}

TEST(Gnmf, MultipliesAsPublished) {
  const Matrix<double> items = random_dense<double>(12, 9, 5);
  const DenseData<double> x(items);
  const Graph<double> graph = graph_of(12, 2);
  const double lambda = 3;
  // One step more than before, from the factors of before: published for X = U V' with U = W and V = H'.
  for (const int steps : {1, 2, 5}) {
    const GnmfOptions options{.rank = 3, .lambda = lambda, .max_iterations = steps, .tolerance = 0, .seed = 1};
    const auto result = gnmf<double>(x, graph.weights, options);
    // The same from the random start, by the formulas entry by entry.
    Matrix<double> u(9, 3);
    Matrix<double> v(12, 3);
    double square = 0;
    for (const double value : items.values()) square += value * value;
    const double scale = std::pow(square / (9 * 12), 0.25) / std::sqrt(3.0);
    for (Index i = 0; i < 9; ++i) {
      Random random(1, static_cast<std::uint64_t>(i));
      for (double& value : u.row(i)) value = scale * random.uniform();
    }
    for (Index j = 0; j < 12; ++j) {
      Random random(1, static_cast<std::uint64_t>(9 + j));
      for (double& value : v.row(j)) value = scale * random.uniform();
    }
    const Matrix<double> s = testing::to_dense(graph.weights);
    for (int step = 0; step < steps; ++step) {
      Matrix<double> next = u;
      for (Index i = 0; i < 9; ++i) {
        for (Index c = 0; c < 3; ++c) {
          double above = 0;
          double below = 0;
          for (Index j = 0; j < 12; ++j) {
            above += items(j, i) * v(j, c);
            for (Index b = 0; b < 3; ++b) below += u(i, b) * v(j, b) * v(j, c);
          }
          next(i, c) = u(i, c) * above / below;
        }
      }
      u = next;
      next = v;
      for (Index j = 0; j < 12; ++j) {
        for (Index c = 0; c < 3; ++c) {
          double above = 0;
          double below = 0;
          for (Index i = 0; i < 9; ++i) {
            above += items(j, i) * u(i, c);
            for (Index b = 0; b < 3; ++b) below += v(j, b) * u(i, b) * u(i, c);
          }
          for (Index l = 0; l < 12; ++l) {
            above += lambda * s(j, l) * v(l, c);
            below += lambda * s(j, l) * v(j, c);
          }
          next(j, c) = v(j, c) * above / below;
        }
      }
      v = next;
    }
    EXPECT_NEAR(result.objective, naive_objective(items, graph, u, v, lambda), 1e-9);
    for (Index c = 0; c < 3; ++c) {
      double norm = 0;
      for (Index i = 0; i < 9; ++i) norm += u(i, c) * u(i, c);
      norm = std::sqrt(norm);
      for (Index i = 0; i < 9; ++i) EXPECT_NEAR(result.w(i, c), u(i, c) / norm, 1e-9);
      for (Index j = 0; j < 12; ++j) EXPECT_NEAR(result.h(j, c), v(j, c) * norm, 1e-9);
    }
  }
}

TEST(Gnmf, CoordinatesEndAtAPointThatNoSmallStepImproves) {
  const Matrix<double> items = random_dense<double>(20, 10, 5);
  const DenseData<double> x(items);
  const Graph<double> graph = graph_of(20, 2);
  const auto result =
      gnmf<double>(x, graph.weights,
                   {.rank = 3, .lambda = 0.5, .solver = GnmfSolver::hals, .max_iterations = 20000, .tolerance = 1e-13});
  const double least = naive_objective(items, graph, result.w, result.h, 0.5);
  EXPECT_NEAR(least, result.objective, 1e-6 * least);  // the columns of W have unit length at the end
  for (Index j = 0; j < 20; ++j) {
    for (Index c = 0; c < 3; ++c) {
      for (const double step : {1e-3, -1e-3}) {
        Matrix<double> h = result.h;
        h(j, c) = std::max(0.0, h(j, c) + step);
        EXPECT_GE(naive_objective(items, graph, result.w, h, 0.5), least * (1 - 1e-7));
      }
    }
  }
}

TEST(Gnmf, TheGraphDecidesWhatTheDataDoNot) {
  const Matrix<double> items = random_dense<double>(80, 15, 8);  // no clusters
  const DenseData<double> x(items);
  const Graph<double> graph = graph_of(80, 3);
  std::vector<Index> parity;
  for (Index j = 0; j < 80; ++j) parity.push_back(j % 2);
  for (const GnmfSolver solver : solvers) {
    // Neighbours end closer to each other than without the graph.
    double rough[2];
    for (const bool with : {false, true}) {
      const auto result = gnmf<double>(x, graph.weights, {.rank = 2, .lambda = with ? 10.0 : 0.0, .solver = solver});
      Matrix<double> unit = result.h;
      for (Index j = 0; j < 80; ++j) {
        const double norm = std::hypot(unit(j, 0), unit(j, 1));
        for (double& value : unit.row(j)) value /= norm > 0 ? norm : 1;
      }
      rough[with] = naive_objective(items, graph, result.w, unit, 1) - naive_objective(items, graph, result.w, unit, 0);
    }
    EXPECT_LT(rough[1], 0.2 * rough[0]);
  }
}

TEST(Gnmf, TheNumberOfThreadsChangesNoBit) {
  const Matrix<double> items = random_dense<double>(2000, 30, 8);
  const DenseData<double> x(items);
  const Graph<double> graph = graph_of(2000, 3);
  for (const GnmfSolver solver : solvers) {
    std::vector<GnmfResult<double>> results;
    for (const int threads : {1, 8}) {
      with_threads(threads, nullptr, [&] {
        results.push_back(gnmf<double>(x, graph.weights, {.rank = 5, .solver = solver, .max_iterations = 12}));
      });
    }
    EXPECT_EQ(results[0].w, results[1].w);
    EXPECT_EQ(results[0].h, results[1].h);
    EXPECT_EQ(results[0].objective, results[1].objective);
  }
}

TEST(Gnmf, OddDataHaveADefinedEnd) {
  const SparseMatrix<double> no_edges{.rows = 4, .cols = 4, .offsets = {0, 0, 0, 0, 0}};
  for (const GnmfSolver solver : solvers) {
    // Items of zeros, equal items, no edges.
    Matrix<double> items(4, 3);
    for (const Index j : {0, 1}) items(j, 1) = 2;
    const DenseData<double> x(items);
    const auto result = gnmf<double>(x, no_edges, {.rank = 3, .solver = solver});
    for (const double value : result.h.values()) EXPECT_TRUE(std::isfinite(value));
    EXPECT_LT(result.relative_error, 1e-2);
    const Matrix<double> zeros(4, 3);
    const auto nothing = gnmf<double>(DenseData<double>(zeros), no_edges, {.rank = 2, .solver = solver});
    EXPECT_EQ(nothing.relative_error, 0);
    EXPECT_THROW(gnmf<double>(x, no_edges, {.rank = 4, .solver = solver}), InvalidArgument);
    EXPECT_THROW(gnmf<double>(x, no_edges, {.rank = 2, .lambda = -1}), InvalidArgument);
    const SparseMatrix<double> directed{
        .rows = 4, .cols = 4, .offsets = {0, 1, 1, 1, 1}, .indices = {2}, .values = {1}};
    EXPECT_THROW(gnmf<double>(x, directed, {.rank = 2}), InvalidArgument);
    GnmfOptions options{.rank = 2, .solver = solver, .time_limit = 0};
    EXPECT_EQ(gnmf<double>(x, no_edges, options).stop_reason, StopReason::time_limit);
  }
}

}  // namespace
}  // namespace copse
