// NMF by the Kullback-Leibler divergence against its definition: D falls, its record is the true one, its KKT
// conditions hold at the end, planted factors come back, and neither storage, threads nor scale change the outcome.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/nmf.h"
#include "tests/support/blocked.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;
using testing::random_integer_sparse;

NmfOptions kl(Index rank, Solver solver = Solver::hals, int max_iterations = 200, double tolerance = 1e-4) {
  return {.rank = rank,
          .loss = Loss::kullback_leibler,
          .solver = solver,
          .max_iterations = max_iterations,
          .tolerance = tolerance};
}

double product_at(const Matrix<double>& w, const Matrix<double>& h, Index i, Index j) {
  double sum = 0;
  for (Index c = 0; c < w.cols(); ++c) sum += w(i, c) * h(j, c);
  return sum;
}

// sum x log(x / (W H)) - x + (W H), entry by entry.
double naive_divergence(const Matrix<double>& x, const Matrix<double>& w, const Matrix<double>& h) {
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      const double y = product_at(w, h, i, j);
      sum += y - x(i, j) + (x(i, j) > 0 ? x(i, j) * std::log(x(i, j) / y) : 0);
    }
  }
  return sum;
}

class BothSolvers : public ::testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(Solvers, BothSolvers, ::testing::Values(Solver::hals, Solver::mu));

TEST_P(BothSolvers, NeverLetTheDivergenceRiseAndRecordItTruly) {
  for (const double density : {0.1, 0.4, 1.0}) {
    const auto sparse = random_integer_sparse<double>(40, 50, density, 3);
    const Matrix<double> x = testing::to_dense(sparse);
    for (const Index k : {1, 4, 9}) {
      double before = std::numeric_limits<double>::infinity();
      for (int iterations = 1; iterations < 20; ++iterations) {
        const auto result = factorize(SparseData<double>(sparse), kl(k, GetParam(), iterations, 0));
        EXPECT_NEAR(result.objective, naive_divergence(x, result.w, result.h), 1e-7 * (1 + result.objective));
        EXPECT_LE(result.objective, before * (1 + 1e-10)) << "density " << density << " k " << k;
        before = result.objective;
      }
    }
  }
}

// W H = r c' / sum(X) is the minimum for k = 1, to which the relative error refers.
TEST_P(BothSolvers, FindIndependenceForRankOne) {
  const auto sparse = random_integer_sparse<double>(20, 30, 0.5, 3);
  const auto result = factorize(SparseData<double>(sparse), kl(1, GetParam(), 50, 0));
  EXPECT_NEAR(result.relative_error, 1, 1e-9);
  const Matrix<double> x = testing::to_dense(sparse);
  double total = 0, row = 0, column = 0;
  for (const double value : x.values()) total += value;
  for (Index j = 0; j < 30; ++j) row += x(3, j);
  for (Index i = 0; i < 20; ++i) column += x(i, 4);
  EXPECT_NEAR(product_at(result.w, result.h, 3, 4), row * column / total, 1e-8);
}

TEST(KullbackLeibler, MeetsTheKktConditionsAtTheEnd) {
  const auto sparse = random_integer_sparse<double>(30, 40, 0.3, 5);
  const Matrix<double> x = testing::to_dense(sparse);
  const auto result = factorize(SparseData<double>(sparse), kl(4, Solver::hals, 20000, 1e-13));
  ASSERT_EQ(result.stop_reason, StopReason::converged);
  // For H: sum_i w_ic (1 - x_ij / (W H)_ij) >= 0, and = 0 where h_cj > 0.
  for (Index j = 0; j < 40; ++j) {
    for (Index c = 0; c < 4; ++c) {
      double slope = 0;
      for (Index i = 0; i < 30; ++i) {
        const double y = product_at(result.w, result.h, i, j);
        slope += result.w(i, c) * (1 - (x(i, j) > 0 ? x(i, j) / y : 0));
      }
      EXPECT_GE(slope, -1e-3);
      EXPECT_LT(slope * result.h(j, c), 1e-3);
    }
  }
}

TEST(KullbackLeibler, FindsPlantedFactors) {
  Matrix<double> w = random_dense<double>(50, 3, 1), h = random_dense<double>(60, 3, 2);
  for (Matrix<double>* f : {&w, &h}) {
    for (double& value : f->values()) value = value < 0.6 ? 0 : value;
  }
  Matrix<double> items(60, 50);
  for (Index j = 0; j < 60; ++j) {
    for (Index i = 0; i < 50; ++i) items(j, i) = product_at(w, h, i, j);
  }
  NmfOptions options = kl(3, Solver::hals, 3000, 1e-10);
  options.runs = 5;
  const auto result = factorize(DenseData<double>(items), options);
  EXPECT_LT(result.relative_error, 1e-5);
}

TEST(KullbackLeibler, ComesLowerThanMultiplicativeUpdates) {
  const auto sparse = random_integer_sparse<double>(100, 150, 0.1, 5);
  const SparseData<double> x(sparse);
  for (const std::uint64_t seed : {1, 2, 3}) {
    NmfOptions coordinate = kl(6, Solver::hals, 60, 0), multiplicative = kl(6, Solver::mu, 60, 0);
    coordinate.seed = multiplicative.seed = seed;
    EXPECT_LT(factorize(x, coordinate).objective, factorize(x, multiplicative).objective) << seed;
  }
}

// 12 groups of items with features of their own: each needs a component, so that one that dies is missed.
TEST_P(BothSolvers, KeepAllComponentsAlive) {
  const Index groups = 12, per_group = 10;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    Matrix<double> items(groups * per_group, groups * 5);
    const Matrix<double> noise = random_dense<double>(items.rows(), items.cols(), seed);
    for (Index j = 0; j < items.rows(); ++j) {
      for (Index i = 0; i < items.cols(); ++i)
        items(j, i) = std::floor((j / per_group == i / 5 ? 20 : 1.2) * noise(j, i));
    }
    NmfOptions options = kl(groups, GetParam(), 100, 0);
    options.seed = seed;
    const auto result = factorize(DenseData<double>(items), options);
    for (Index c = 0; c < groups; ++c) {
      double sum = 0;
      for (Index i = 0; i < result.w.rows(); ++i) sum += result.w(i, c);
      EXPECT_GT(sum, 0) << "component " << c << " seed " << seed;
    }
  }
}

TEST_P(BothSolvers, GiveTheSameForSparseAndDenseAndAnyNumberOfThreads) {
  const auto sparse = random_integer_sparse<float>(300, 400, 0.05, 5);
  const Matrix<float> items = testing::naive::transposed(testing::to_dense(sparse));
  const NmfOptions options = kl(5, GetParam(), 10);
  NmfResult<float> one;
  with_threads(1, nullptr, [&] { one = factorize(SparseData<float>(sparse), options); });
  for (const int threads : {2, 5}) {
    NmfResult<float> many;
    with_threads(threads, nullptr, [&] { many = factorize(DenseData<float>(items), options); });
    EXPECT_EQ(one.w, many.w);
    EXPECT_EQ(one.h, many.h);
    EXPECT_EQ(one.objective, many.objective);
  }
}

TEST(KullbackLeibler, DoesNotMindTheScale) {
  const auto x = random_integer_sparse<float>(60, 50, 0.3, 5);
  const auto expected = factorize(SparseData<float>(x), kl(4, Solver::hals, 30));
  for (const int power : {-100, -30, -1, 5, 40, 100}) {
    auto scaled = x;
    for (float& value : scaled.values) value = std::ldexp(value, power);
    const auto found = factorize(SparseData<float>(scaled), kl(4, Solver::hals, 30));
    EXPECT_EQ(found.w, expected.w) << power;
    EXPECT_EQ(found.relative_error, expected.relative_error) << power;
    EXPECT_EQ(found.objective, std::ldexp(expected.objective, power)) << power;
  }
}

TEST(KullbackLeibler, GivesNewItemsTheirLeastDivergence) {
  const auto sparse = random_integer_sparse<double>(30, 40, 0.3, 5);
  const SparseData<double> x(sparse);
  const auto fit = factorize(x, kl(4, Solver::hals, 20000, 1e-13));
  const Matrix<double> h = assign_items_by_divergence<double>(x, fit.w);
  const Matrix<double> dense = testing::to_dense(sparse);
  EXPECT_NEAR(naive_divergence(dense, fit.w, h), fit.objective, 1e-6 * fit.objective);
  const Matrix<double> w = random_dense<double>(30, 4, 2);
  const Matrix<double> others = assign_items_by_divergence<double>(x, w);
  const double least = naive_divergence(dense, w, others);
  for (Index j = 0; j < 40; ++j) {
    for (Index c = 0; c < 4; ++c) {
      for (const double step : {1e-3, -1e-3}) {
        Matrix<double> moved = others;
        moved(j, c) = std::max(0.0, moved(j, c) + step);
        EXPECT_GE(naive_divergence(dense, w, moved), least - 1e-7 * least);
      }
    }
  }
}

TEST(KullbackLeibler, LeavesEmptyItemsAndFeaturesAtZero) {
  Matrix<double> items = random_dense<double>(12, 9, 3);
  for (Index i = 0; i < 9; ++i) items(4, i) = 0;
  for (Index j = 0; j < 12; ++j) items(j, 2) = 0;
  for (const Solver solver : {Solver::hals, Solver::mu}) {
    const auto result = factorize(DenseData<double>(items), kl(3, solver));
    for (Index c = 0; c < 3; ++c) {
      EXPECT_EQ(result.h(4, c), 0);
      EXPECT_EQ(result.w(2, c), 0);
    }
  }
  const Matrix<double> nothing(5, 6);
  EXPECT_EQ(factorize(DenseData<double>(nothing), kl(2)).objective, 0);
}

TEST(KullbackLeibler, RefusesWhatHasNoMeaning) {
  const Matrix<double> items = random_dense<double>(12, 9, 3);
  const DenseData<double> x(items);
  NmfOptions options = kl(2);
  options.affine = true;
  EXPECT_THROW(factorize(x, options), InvalidArgument);
  options = kl(2);
  options.alpha = options.beta = 1;
  EXPECT_THROW(factorize(x, options), InvalidArgument);
  EXPECT_THROW(factorize(x, kl(2, Solver::pivoting)), InvalidArgument);
  for (const Start start : {Start::nndsvd, Start::sample}) {
    options = kl(2);
    options.start = start;
    EXPECT_THROW(factorize(x, options), InvalidArgument);
  }
  EXPECT_THROW(factorize(testing::SlowData<double>(items), kl(2)), InvalidArgument);
  EXPECT_THROW(assign_items_by_divergence<double>(x, Matrix<double>(8, 2)), InvalidArgument);
}

}  // namespace
}  // namespace copse
