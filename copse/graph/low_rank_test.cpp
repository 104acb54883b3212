#include "copse/graph/low_rank.h"

#include <gtest/gtest.h>

#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/cluster_graph.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/clustering.h"

namespace copse {
namespace {

Matrix<double> random_dense(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> x(rows, cols);
  for (double& value : x.values()) value = random.uniform();
  return x;
}

// B B' + noise * N for a symmetric N without negative entries.
Matrix<double> dense_graph(const Matrix<double>& b, double noise, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> a(b.rows(), b.rows());
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      double sum = noise * random.uniform();
      for (Index c = 0; c < b.cols(); ++c) sum += b(i, c) * b(j, c);
      a(i, j) = a(j, i) = sum;
    }
  }
  return a;
}

TEST(LowRank, IsTheMatrixItselfWhereItsRankSuffices) {
  const auto a = dense_graph(random_dense(200, 5, 1), 0, 2);
  const DenseData<double> data(a);
  const LowRank<double> approximation(data, {.rank = 7, .seed = 3});
  const auto w = random_dense(200, 4, 4);
  Matrix<double> expected, found;
  data.transpose_times(w, expected);
  approximation.transpose_times(w, found);
  for (Index e = 0; e < 800; ++e) ASSERT_NEAR(found.data()[e], expected.data()[e], 1e-8 * expected.data()[e]);
  EXPECT_NEAR(approximation.squared_norm(), data.squared_norm(), 1e-9 * data.squared_norm());
}

TEST(LowRank, LeadsToAsGoodAFitAsTheWholeMatrix) {
  const auto a = dense_graph(random_dense(300, 6, 5), 0.3, 6);
  const DenseData<double> data(a);
  const SymNmfOptions options{.rank = 6, .solver = SymSolver::hals, .max_iterations = 500, .tolerance = 1e-6};
  const auto start = random_sym_start<double>(data, 6, 7);
  const auto exact = factorize_symmetric<double>(data, options, start);
  const auto rough = factorize_low_rank<double>(data, options, {.rank = 12}, start);
  const auto refined =
      factorize_symmetric<double>(data, {.rank = 6, .solver = SymSolver::hals, .max_iterations = 5}, rough.b);
  EXPECT_LT(refined.relative_error, 1.01 * exact.relative_error);
}

TEST(LowRank, ServesTheClustersOfADenseGraph) {
  // Points around four centres, all pairs joined.
  Random random(8);
  std::vector<Index> labels;
  Matrix<double> x(240, 2);
  for (Index i = 0; i < 240; ++i) {
    labels.push_back(i % 4);
    x(i, 0) = 4 * static_cast<double>(i % 2) + random.normal();
    x(i, 1) = 4 * static_cast<double>(i % 4 / 2) + random.normal();
  }
  std::vector<Edge> edges;
  for (Index i = 0; i < 240; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double dx = x(i, 0) - x(j, 0), dy = x(i, 1) - x(j, 1);
      edges.push_back({static_cast<RowIndex>(i), static_cast<RowIndex>(j), std::exp(-(dx * dx + dy * dy) / 4)});
    }
  }
  const auto graph = graph_from_edges<double>(240, edges);
  GraphClusterOptions options{.k = 4, .start = GraphStart::random, .runs = 5};
  options.low_rank = 10;
  EXPECT_GT(compare_clusterings(cluster_graph(graph, options).labels, labels).accuracy, 0.93);
  std::vector<std::vector<Index>> found;
  for (const int threads : {1, 3})
    with_threads(threads, nullptr, [&] { found.push_back(cluster_graph(graph, options).labels); });
  EXPECT_EQ(found[0], found[1]);
}

TEST(LowRank, RefusesBadOptions) {
  const auto a = dense_graph(random_dense(10, 2, 9), 0.1, 1);
  const DenseData<double> data(a);
  EXPECT_THROW(LowRank<double>(data, {.rank = 0}), InvalidArgument);
  EXPECT_THROW(LowRank<double>(data, {.rank = 11}), InvalidArgument);
  EXPECT_THROW(LowRank<double>(data, {.rank = 2, .passes = -1}), InvalidArgument);
}

}  // namespace
}  // namespace copse
