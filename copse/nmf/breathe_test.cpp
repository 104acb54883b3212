// Breathing against planted clusters that a run from a poor start does not tell apart.
#include "copse/nmf/breathe.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "copse/base/random.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/alternation.h"
#include "copse/nmf/nmf.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_integer_sparse;

constexpr Index clusters = 6;
constexpr Index per_cluster = 15;

// Items of six clusters with five features each, nothing in common: items x features.
Matrix<double> planted_items() {
  Matrix<double> items(clusters * per_cluster, 5 * clusters);
  Random random(1, 0);
  for (Index j = 0; j < items.rows(); ++j) {
    for (Index i = 0; i < items.cols(); ++i) items(j, i) = i / 5 == j / per_cluster ? 1 + random.uniform() : 0.0;
  }
  return items;
}

// Two components share the first cluster, and none has a feature of the second.
Factors<double> poor_factors(const Matrix<double>& items) {
  Factors<double> factors{Matrix<double>(items.cols(), clusters), Matrix<double>(items.rows(), clusters)};
  Random random(2, 0);
  for (Index c = 0; c < clusters; ++c) {
    const Index cluster = c == 1 ? 0 : c;
    for (Index i = 5 * cluster; i < 5 * (cluster + 1); ++i) factors.w(i, c) = 1 + random.uniform();
  }
  std::fill(factors.h.values().begin(), factors.h.values().end(), 0.5);
  return factors;
}

double error_of(const Data<double>& x, const NmfOptions& options, Factors<double> start) {
  const auto run = alternate(x, options, std::move(start), std::chrono::steady_clock::now());
  return run.history.back().relative_error;
}

TEST(Breathe, FindsTheClustersThatAlternationsAloneDoNot) {
  const Matrix<double> items = planted_items();
  const DenseData<double> x(items);
  const NmfOptions options{.rank = clusters, .max_iterations = 500, .tolerance = 1e-6};
  const auto began = std::chrono::steady_clock::now();
  const Factors<double> poor = poor_factors(items);
  const double best = factorize(x, {.rank = clusters, .start = Start::nndsvda}).relative_error;
  const double stuck = error_of(x, options, poor);
  ASSERT_GT(stuck, 1.3 * best);
  const Factors<double> breathed =
      breathe<double>(x, options, poor, [&](const NmfOptions& plain, Factors<double> factors) {
        return alternate(x, plain, std::move(factors), began, {.with_gradient = false}).factors;
      });
  ASSERT_EQ(breathed.w.cols(), clusters);
  ASSERT_EQ(breathed.h.cols(), clusters);
  EXPECT_NEAR(error_of(x, options, breathed), best, 1e-3 * best);
}

TEST(Breathe, AsksForRoomAndForThePlainObjective) {
  const auto sparse = random_integer_sparse<double>(12, 20, 0.5, 1);
  const SparseData<double> x(sparse);
  EXPECT_TRUE(can_breathe(x, {.rank = 8}));
  EXPECT_FALSE(can_breathe(x, {.rank = 9}));  // 13 components, 12 features
  EXPECT_FALSE(can_breathe(x, {.rank = 1}));
  EXPECT_FALSE(can_breathe(x, {.rank = 4, .alpha = 0.1}));
  EXPECT_FALSE(can_breathe(x, {.rank = 4, .beta = 0.1}));
  EXPECT_FALSE(can_breathe(x, {.rank = 4, .affine = true}));
}

// A breath counts as iterations without a record; the iterates before and after it never let the error rise.
TEST(Breathe, HappensOnceInARunFromASample) {
  const auto sparse = random_integer_sparse<double>(120, 200, 0.1, 3);
  const SparseData<double> x(sparse);
  const NmfOptions options{.rank = 8, .tolerance = 0};
  const auto result = factorize(x, options);
  int jumps = 0;
  for (std::size_t i = 1; i < result.history.size(); ++i) {
    const int step = result.history[i].number - result.history[i - 1].number;
    if (step != 1) {
      EXPECT_EQ(step, 1 + breath_alternations);
      ++jumps;
    }
    EXPECT_LE(result.history[i].relative_error, (1 + 1e-12) * result.history[i - 1].relative_error);
  }
  EXPECT_EQ(jumps, 1);
  EXPECT_EQ(result.history.back().number, options.max_iterations);

  NmfOptions others = options;
  others.start = Start::random;
  EXPECT_EQ(factorize(x, others).history.size(), 200u);
  others.start = Start::sample;
  others.max_iterations = breath_alternations;
  EXPECT_EQ(factorize(x, others).history.size(), static_cast<std::size_t>(breath_alternations));
  others = options;
  const auto given = random_start(x, 8, 1);
  EXPECT_EQ(factorize(x, others, given.w, given.h).history.size(), 200u);
}

}  // namespace
}  // namespace copse
