#include "copse/tree/rank2_nmf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/gram.h"
#include "copse/nnls/nnls.h"
#include "tests/support/naive.h"
#include "tests/support/nodes.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::all_items;
using testing::columns;
using testing::random_integer_sparse;
using testing::to_dense;

// Whatever the start is, the gradient is measured against the one that a random start has.
TEST(Rank2Nmf, BothStartsHaveTheSameFirstGradient) {
  const auto sparse = random_integer_sparse<double>(300, 4000, 0.05, 12);
  const auto x = tree_data<double>(SparseView<double>(sparse));
  const auto items = all_items(*x);
  const auto node = x->cut(items);
  const auto part = columns<double>(to_dense(sparse), items, *node);
  const auto first_gradient = [&](Rank2Start start) {
    const auto result = rank2_nmf(*node, {.start = start, .tolerance = 1e-2, .seed = 4});
    const auto xh = testing::naive::times(part, result.h);
    double square = 0;
    for (const double row : squared_projected_gradient(gram(result.h), xh, result.w)) square += row;
    EXPECT_GT(square, 0);
    return std::sqrt(square) / result.projected_gradient_ratio;
  };
  const double ratio = first_gradient(Rank2Start::singular) / first_gradient(Rank2Start::random);
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 2);
}

// The gradient is that for unit columns of W after every iteration, whatever length the columns had on the way.
TEST(Rank2Nmf, TheGradientIsThatOfTheResult) {
  const auto sparse = random_integer_sparse<double>(200, 400, 0.05, 5);
  const auto x = tree_data<double>(SparseView<double>(sparse));
  const auto items = all_items(*x);
  const auto node = x->cut(items);
  const auto part = columns<double>(to_dense(sparse), items, *node);
  double first = 0;
  for (const int iterations : {1, 2, 3, 4, 8}) {
    const auto result =
        rank2_nmf(*node, {.start = Rank2Start::random, .tolerance = 0, .max_iterations = iterations, .seed = 4});
    const auto xh = testing::naive::times(part, result.h);
    double square = 0;
    for (const double row : squared_projected_gradient(gram(result.h), xh, result.w)) square += row;
    if (iterations == 1) first = std::sqrt(square);
    EXPECT_NEAR(result.projected_gradient_ratio, std::sqrt(square) / first, 1e-9) << iterations;
  }
}

TEST(Rank2Nmf, EndsWhereTheKktConditionsHold) {
  const auto sparse = random_integer_sparse<double>(120, 300, 0.1, 9);
  const auto x = tree_data<double>(SparseView<double>(sparse));
  const auto items = all_items(*x);
  const auto node = x->cut(items);
  const auto part = columns<double>(to_dense(sparse), items, *node);
  const auto result = rank2_nmf(*node, {.tolerance = 1e-6, .max_iterations = 5000, .seed = 4});
  EXPECT_EQ(result.stop_reason, StopReason::converged);
  for (Index c = 0; c < 2; ++c) {
    double norm = 0;
    for (Index i = 0; i < result.w.rows(); ++i) norm += result.w(i, c) * result.w(i, c);
    EXPECT_NEAR(norm, 1, 1e-12);
  }
  const auto xh = testing::naive::times(part, result.h), wx = testing::naive::transpose_times(part, result.w);
  const auto scale = std::sqrt(dot(xh, xh));
  for (const double square : squared_projected_gradient(gram(result.h), xh, result.w))
    EXPECT_LT(std::sqrt(square), 1e-5 * scale);
  for (const double square : squared_projected_gradient(gram(result.w), wx, result.h))
    EXPECT_LT(std::sqrt(square), 1e-9 * scale);
  EXPECT_NEAR(result.fitted, dot(wx, result.h), 1e-9 * result.fitted);
  EXPECT_NEAR(result.inner, gram(result.w)(0, 1), 1e-12);
}

TEST(Rank2Nmf, FindsPlantedFactors) {
  // X = W H exactly, with rank 2 and disjoint supports.
  Matrix<float> items(60, 40);
  for (Index j = 0; j < 60; ++j) {
    for (Index i = 0; i < 40; ++i)
      items(j, i) = (j % 3 == 0) == (i < 10) ? static_cast<float>(1 + i % 5) * static_cast<float>(1 + j % 7) : 0;
  }
  const auto x = tree_data<float>(items);
  const auto node = x->cut(all_items(*x));
  const auto result = rank2_nmf(*node, {.seed = 1});
  double norm = 0;
  for (const float value : items.values()) norm += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_NEAR(std::ldexp(result.fitted, 2 * node->exponent()), norm, 1e-5 * norm);
  for (Index j = 0; j < 60; ++j)
    EXPECT_EQ(result.h(j, 0) > result.h(j, 1), (j % 3 == 0) == (result.h(0, 0) > result.h(0, 1)));
}

// Both columns of W point the same way, and rounding must not decide what either is for.
TEST(Rank2Nmf, RankOneIsFittedExactly) {
  for (Index seed = 1; seed <= 200; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Index terms = 2 + random.below(60), count = 2 + random.below(80);
    const double scale = std::pow(10, 8 * random.uniform() - 4);
    Matrix<float> items(count, terms);
    std::vector<double> topic;
    for (Index i = 0; i < terms; ++i) topic.push_back(i == 0 ? 1 : random.uniform());
    double norm = 0;
    for (Index j = 0; j < count; ++j) {
      for (Index i = 0; i < terms; ++i) {
        items(j, i) = static_cast<float>(scale * topic[i] * (seed % 2 == 0 ? 1.0 : static_cast<double>(1 + j % 4)));
        norm += static_cast<double>(items(j, i)) * static_cast<double>(items(j, i));
      }
    }
    const auto x = tree_data<float>(items);
    for (const Rank2Start start : {Rank2Start::singular, Rank2Start::random}) {
      const auto node = x->cut(all_items(*x));
      const auto result = rank2_nmf(*node, {.start = start, .seed = 7});
      double error = 0;
      for (Index j = 0; j < count; ++j) {
        for (Index i = 0; i < terms; ++i) {
          const double rest = std::ldexp(static_cast<double>(items(j, i)), -node->exponent()) -
                              static_cast<double>(result.w(i, 0)) * static_cast<double>(result.h(j, 0)) -
                              static_cast<double>(result.w(i, 1)) * static_cast<double>(result.h(j, 1));
          error += rest * rest;
        }
      }
      EXPECT_LT(std::ldexp(error, 2 * node->exponent()), 1e-5 * norm) << seed;
      EXPECT_NEAR(std::ldexp(result.fitted, 2 * node->exponent()), norm, 1e-5 * norm) << seed;
    }
  }
}

TEST(Rank2Nmf, ASampleOfEmptyItemsDoesNoHarm) {
  // Every fourth item is empty, and the sample of 2000 items takes every fourth.
  Matrix<float> items(2000, 6);
  for (Index j = 0; j < 2000; ++j) {
    if (j % 4 != 0) items(j, j % 4 == 1 ? 1 : 4) = 1;
  }
  const auto x = tree_data<float>(items);
  const auto result = rank2_nmf(*x->cut(all_items(*x)), {});
  EXPECT_NEAR(result.fitted, 1500, 1e-2);
  EXPECT_GT(result.entries_read, 0);
}

// Two topics that share words, and a tenth of each item from the other one.
SparseMatrix<double> two_topics(RowIndex items, std::uint64_t seed) {
  Matrix<double> x(400, items);
  Random random(seed);
  for (RowIndex j = 0; j < items; ++j) {
    const double share = random.uniform() < 0.6 ? 0.1 : 0.9;
    for (int token = 0; token < 30; ++token) {
      const bool first = random.uniform() < share;
      x(random.uniform() < 0.3 ? random.below(40) : first ? random.below(240) : 160 + random.below(240), j) += 1;
    }
  }
  return testing::to_sparse(x);
}

// From a sample it is less far to the same minimum than from random factors.
TEST(Rank2Nmf, SamplesMakeTheFirstPartOfTheWay) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto sparse = two_topics(16000, seed);
    const auto x = tree_data<double>(SparseView<double>(sparse));
    const auto node = x->cut(all_items(*x));
    const auto result = rank2_nmf(*node, {}), random = rank2_nmf(*node, {.start = Rank2Start::random});
    EXPECT_EQ(result.stop_reason, StopReason::converged);
    EXPECT_NEAR(result.fitted, random.fitted, 1e-4 * random.fitted);
    EXPECT_LT(result.iterations, random.iterations);
    EXPECT_LT(result.entries_read, random.entries_read);
  }
}

TEST(Rank2Nmf, NothingToReadCostsNothing) {
  const Matrix<float> empty(10, 3);
  const auto sparse = testing::to_sparse(empty);
  const auto x = tree_data<float>(SparseView<float>(sparse));
  EXPECT_EQ(rank2_nmf(*x->cut(all_items(*x)), {}).entries_read, 0);
}

TEST(Rank2Nmf, SameBitsForAnyNumberOfThreads) {
  const auto sparse = random_integer_sparse<float>(900, 6000, 0.05, 2);
  const auto x = tree_data<float>(SparseView<float>(sparse));
  Rank2Result<float> first;
  for (const int threads : {1, 2, 3, 8}) {
    with_threads(threads, nullptr, [&] {
      const auto result = rank2_nmf(*x->cut(all_items(*x)), {.max_iterations = 12, .seed = 3});
      if (threads == 1) first = result;
      EXPECT_EQ(result.w, first.w);
      EXPECT_EQ(result.h, first.h);
    });
  }
}

}  // namespace
}  // namespace copse
