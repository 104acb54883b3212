// The same factorization from every kind of data: in memory, streamed in odd blocks, and slow data that gives products
// and nothing more.
#include <gtest/gtest.h>

#include <cmath>

#include "copse/base/parallel.h"
#include "copse/generate/corpus.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/streamed_data.h"
#include "copse/measure/clustering.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"
#include "copse/nmf/nmf.h"
#include "tests/support/blocked.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

template <class T>
SparseMatrix<T> planted(std::uint64_t seed) {
  const Planted<T> corpus =
      generate_corpus<T>({.documents = 800, .terms = 150, .k = 6, .terms_per_document = 30, .seed = seed});
  return std::get<SparseMatrix<T>>(corpus.data.values);
}

template <class T>
void expect_same(const NmfResult<T>& a, const NmfResult<T>& b, double tolerance) {
  EXPECT_EQ(cluster_items(a.h).labels, cluster_items(b.h).labels);
  EXPECT_EQ(a.history.size(), b.history.size());
  EXPECT_EQ(a.stop_reason, b.stop_reason);
  EXPECT_NEAR(a.relative_error, b.relative_error, tolerance);
  ASSERT_EQ(a.w.values().size(), b.w.values().size());
  for (std::size_t e = 0; e < a.w.values().size(); ++e) ASSERT_NEAR(a.w.values()[e], b.w.values()[e], tolerance);
}

// Every solver, start and penalty; stopped by the limit, so that rounding does not change the number of iterations.
TEST(KindsOfData, GiveTheSameFactors) {
  const auto x = planted<double>(1);
  const SparseData<double> memory{SparseView<double>(x)};
  const testing::OddBlocks<double> blocks(x);
  const StreamedData<double> streamed(blocks);
  const testing::SlowData<double> slow(testing::to_dense(x));
  std::vector<NmfOptions> all;
  for (const Solver solver :
       {Solver::hals, Solver::mu, Solver::active_set, Solver::pivoting, Solver::projected_gradient})
    all.push_back(
        {.rank = 6, .solver = solver, .start = Start::random, .max_iterations = 12, .tolerance = 0, .seed = 3});
  for (const Start start : {Start::nndsvd, Start::nndsvda, Start::nndsvdar})
    all.push_back({.rank = 6, .start = start, .max_iterations = 12, .tolerance = 0});
  all.push_back({.rank = 6, .start = Start::random, .runs = 3, .max_iterations = 6, .tolerance = 0});
  all.push_back({.rank = 6, .start = Start::random, .max_iterations = 12, .tolerance = 0, .alpha = 1, .beta = 0.01});
  all.push_back({.rank = 6, .start = Start::random, .max_iterations = 12, .tolerance = 0, .affine = true});
  all.push_back({.rank = 6, .start = Start::random, .max_iterations = 12, .tolerance = 0, .extrapolate = false});
  all.push_back({.rank = 1, .start = Start::random, .max_iterations = 12, .tolerance = 0});
  all.push_back({.rank = 2, .solver = Solver::pivoting, .start = Start::random, .max_iterations = 12, .tolerance = 0});
  for (const NmfOptions& options : all) {
    SCOPED_TRACE(::testing::Message() << "solver " << static_cast<int>(options.solver) << ", start "
                                      << static_cast<int>(options.start) << ", affine " << options.affine << ", beta "
                                      << options.beta);
    const auto expected = factorize(memory, options);
    expect_same(factorize(streamed, options), expected, 1e-7);
    // Blocks of five items: rows that share a step, of hals and of projected gradients, have other neighbours.
    const auto found = factorize(slow, options);
    if (options.solver == Solver::hals || options.solver == Solver::projected_gradient) {
      EXPECT_NEAR(found.relative_error, expected.relative_error, 1e-3);
    } else {
      expect_same(found, expected, 1e-7);
    }
  }
}

// The start from a sample, the breath, and the end by tolerance.
TEST(KindsOfData, EndAtTheSameMinimum) {
  for (const std::uint64_t seed : {1, 2}) {
    const auto x = planted<float>(seed);
    const testing::OddBlocks<float> blocks(x);
    for (const NmfOptions& options : {NmfOptions{.rank = 6, .tolerance = 1e-5}, {.rank = 6, .max_iterations = 37}}) {
      const auto expected = factorize(SparseData<float>{SparseView<float>(x)}, options);
      const auto found = factorize(StreamedData<float>(blocks), options);
      EXPECT_EQ(cluster_items(found.h).labels, cluster_items(expected.h).labels);
      EXPECT_EQ(found.stop_reason, expected.stop_reason);
      EXPECT_NEAR(found.relative_error, expected.relative_error, 1e-4);
      // Known to about that much of the tolerance; both records are those of the factors that come back.
      EXPECT_NEAR(found.projected_gradient_ratio, expected.projected_gradient_ratio, 0.2 * 1e-4);
    }
  }
}

// What the last record says is what the definition gives for the factors.
TEST(KindsOfData, ReportTheGradientOfWhatTheyReturn) {
  const auto x = planted<double>(4);
  const testing::OddBlocks<double> blocks(x);
  for (const int most : {1, 2, 9, 200}) {
    const NmfOptions options{.rank = 5, .start = Start::random, .max_iterations = most};
    const auto result = factorize(StreamedData<double>(blocks), options);
    const auto dense = testing::to_dense(x);
    double squared = 0, w_square = 0, h_square = 0;
    Matrix<double> residual(dense.rows(), dense.cols());  // W H - X
    for (Index i = 0; i < dense.rows(); ++i) {
      for (Index j = 0; j < dense.cols(); ++j) {
        squared += dense(i, j) * dense(i, j);
        residual(i, j) = -dense(i, j);
        for (Index c = 0; c < 5; ++c) residual(i, j) += result.w(i, c) * result.h(j, c);
      }
    }
    const auto counted = [](double gradient, double entry) { return entry > 0 ? gradient : std::min(gradient, 0.0); };
    for (Index c = 0; c < 5; ++c) {
      for (Index i = 0; i < dense.rows(); ++i) {
        double sum = 0;
        for (Index j = 0; j < dense.cols(); ++j) sum += residual(i, j) * result.h(j, c);
        w_square += std::pow(counted(sum, result.w(i, c)), 2);
      }
      for (Index j = 0; j < dense.cols(); ++j) {
        double sum = 0;
        for (Index i = 0; i < dense.rows(); ++i) sum += residual(i, j) * result.w(i, c);
        h_square += std::pow(counted(sum, result.h(j, c)), 2);
      }
    }
    const double expected = std::sqrt((w_square / (squared * squared) + h_square / squared) / 5);
    EXPECT_NEAR(result.projected_gradient_ratio, expected, 1e-6 * expected + 1e-10);
  }
}

TEST(KindsOfData, HaveTheSameBitsForAnyNumberOfThreads) {
  const auto x = planted<float>(5);
  const testing::OddBlocks<float> blocks(x);
  const StreamedData<float> streamed(blocks);
  NmfResult<float> one, many;
  with_threads(1, nullptr, [&] { one = factorize(streamed, {.rank = 6, .max_iterations = 30}); });
  with_threads(8, nullptr, [&] { many = factorize(streamed, {.rank = 6, .max_iterations = 30}); });
  EXPECT_EQ(one.w, many.w);
  EXPECT_EQ(one.h, many.h);
}

// One read of X per iteration, a few for the start and the end.
TEST(KindsOfData, ReadOncePerIteration) {
  const auto x = planted<double>(6);
  const testing::SlowData<double> slow(testing::to_dense(x));
  const auto result = factorize(slow, {.rank = 5, .start = Start::random, .max_iterations = 40, .tolerance = 0});
  EXPECT_EQ(result.history.back().number, 40);
  EXPECT_LE(slow.reads(), 43);
}

// Components that die come back, from the residual.
TEST(KindsOfData, ReviveComponents) {
  const auto x = planted<double>(7);
  const testing::OddBlocks<double> blocks(x);
  const StreamedData<double> streamed(blocks);
  Matrix<double> w = testing::random_dense<double>(x.rows, 6, 1), h = testing::random_dense<double>(x.cols, 6, 2);
  for (Index j = 0; j < h.rows(); ++j) h(j, 2) = h(j, 4) = 0;
  for (Index i = 0; i < w.rows(); ++i) w(i, 2) = w(i, 4) = 0;
  const NmfOptions options{.rank = 6, .max_iterations = 100};
  const auto expected = factorize(SparseData<double>{SparseView<double>(x)}, options, w, h);
  const auto found = factorize(streamed, options, w, h);
  EXPECT_NEAR(found.relative_error, expected.relative_error, 1e-4);
  for (Index c = 0; c < 6; ++c) {
    double square = 0;
    for (Index i = 0; i < w.rows(); ++i) square += found.w(i, c) * found.w(i, c);
    EXPECT_GT(square, 0);
  }
}

// Items with few words: components die in every iteration, and get new starts while the factors run ahead.
TEST(KindsOfData, ReviveAmongShortItemsWithTheSameMomentum) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto x = std::get<SparseMatrix<double>>(
        generate_corpus<double>({.documents = 600, .terms = 400, .k = 15, .terms_per_document = 5, .seed = seed})
            .data.values);
    const testing::OddBlocks<double> blocks(x);
    Matrix<double> w = testing::random_dense<double>(x.rows, 15, 1), h = testing::random_dense<double>(x.cols, 15, 2);
    for (Index i = 0; i < w.rows(); ++i) w(i, 4) = 0;
    for (const int most : {1, 2, 3, 4, 6, 10, 20}) {
      const NmfOptions options{.rank = 15, .max_iterations = most, .tolerance = 0};
      const auto expected = factorize(SparseData<double>{SparseView<double>(x)}, options, w, h);
      const auto found = factorize(StreamedData<double>(blocks), options, w, h);
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << most << " iterations");
      expect_same(found, expected, 1e-7);
    }
  }
}

TEST(KindsOfData, ScaleDoesNotMatter) {
  const auto x = planted<double>(8);
  auto large = x;
  for (double& value : large.values) value = std::ldexp(value, 700);
  const testing::OddBlocks<double> blocks(x), large_blocks(large);
  const NmfOptions options{.rank = 4, .max_iterations = 15};
  const auto a = factorize(StreamedData<double>(blocks), options);
  const auto b = factorize(StreamedData<double>(large_blocks), options);
  EXPECT_EQ(a.w, b.w);
  for (std::size_t e = 0; e < a.h.values().size(); ++e) ASSERT_EQ(std::ldexp(a.h.values()[e], 700), b.h.values()[e]);
}

TEST(KindsOfData, PlaceTheSameItems) {
  const auto x = planted<double>(9);
  const SparseData<double> memory{SparseView<double>(x)};
  const testing::OddBlocks<double> blocks(x);
  const StreamedData<double> streamed(blocks);
  const auto w = testing::random_dense<double>(x.rows, 4, 1);
  EXPECT_EQ(cluster_items(assign_items(streamed, w)).labels, cluster_items(assign_items(memory, w)).labels);
  EXPECT_EQ(cluster_items(assign_items_by_divergence(streamed, w)).labels,
            cluster_items(assign_items_by_divergence(memory, w)).labels);
  // The Kullback-Leibler loss asks for the entries.
  const NmfOptions options{.rank = 4, .loss = Loss::kullback_leibler, .start = Start::random, .max_iterations = 20};
  EXPECT_EQ(cluster_items(factorize(streamed, options).h).labels, cluster_items(factorize(memory, options).h).labels);
}

}  // namespace
}  // namespace copse
