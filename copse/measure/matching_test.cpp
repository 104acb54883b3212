#include "copse/measure/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "copse/base/random.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

double gain_of(const Matrix<double>& gains, const std::vector<Index>& row_of) {
  double total = 0;
  for (Index j = 0; j < gains.cols(); ++j) {
    if (row_of[j] >= 0) total += gains(row_of[j], j);
  }
  return total;
}

// Tries every one-to-one assignment of columns to rows, padded so that any column may stay single.
double best_by_trying(const Matrix<double>& gains) {
  std::vector<Index> order(static_cast<std::size_t>(std::max(gains.rows(), gains.cols())));
  std::iota(order.begin(), order.end(), Index(0));
  double best = 0;
  do {
    double total = 0;
    for (Index j = 0; j < gains.cols(); ++j) {
      if (order[j] < gains.rows()) total += gains(order[j], j);
    }
    best = std::max(best, total);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(BestMatching, GainsAsMuchAsTheBestOfAllMatchings) {
  Random random(4);
  for (int trial = 0; trial < 400; ++trial) {
    const Index rows = random.below(7), cols = random.below(7);
    const double density = random.uniform();
    auto gains = testing::random_integer_sparse<double>(rows, cols, density, static_cast<std::uint64_t>(trial));
    if (trial % 2 == 0) {  // many ties
      for (double& gain : gains.values) gain = gain > 6 ? 2 : 1;
    }
    const auto row_of = best_matching(gains);
    ASSERT_EQ(row_of.size(), static_cast<std::size_t>(cols));
    std::vector<int> used(static_cast<std::size_t>(rows), 0);
    for (const Index row : row_of) {
      ASSERT_LT(row, rows);
      if (row < 0) continue;
      EXPECT_EQ(++used[row], 1);
    }
    const auto dense = testing::to_dense(gains);
    EXPECT_EQ(gain_of(dense, row_of), best_by_trying(dense)) << trial;
  }
}

// With gains u + v every full matching gains as much as another, and reduced costs are 0 but for their rounding: a
// search along costs below 0 would go round for ever.
TEST(BestMatching, EndsWhereAllMatchingsAreEqualButForRounding) {
  Random random(9);
  for (int trial = 0; trial < 3000; ++trial) {
    const Index size = 2 + random.below(11);
    std::vector<double> u, v;
    for (Index i = 0; i < size; ++i) u.push_back(random.uniform()), v.push_back(random.uniform() / 3);
    SparseMatrix<double> gains{.rows = size, .cols = size};
    for (Index j = 0; j < size; ++j) {
      for (Index i = 0; i < size; ++i) {
        gains.indices.push_back(static_cast<RowIndex>(i));
        gains.values.push_back(u[i] + v[j]);
      }
      gains.offsets.push_back(static_cast<Index>(gains.values.size()));
    }
    const double all = std::accumulate(u.begin(), u.end(), std::accumulate(v.begin(), v.end(), 0.0));
    EXPECT_NEAR(gain_of(testing::to_dense(gains), best_matching(gains)), all, 1e-12) << trial;
  }
}

TEST(BestMatching, SplitsTwoThousandLabelsAgainstTwoThousand) {
  // A matching is best if and only if prices exist that prove it; here it is planted: row j has the only large gain.
  const Index size = 2000;
  auto gains = testing::random_integer_sparse<double>(size, size, 0.2, 8);
  auto dense = testing::to_dense(gains);
  for (Index j = 0; j < size; ++j) dense((j * 7 + 3) % size, j) = 100;
  const auto row_of = best_matching(testing::to_sparse(dense));
  for (Index j = 0; j < size; ++j) EXPECT_EQ(row_of[j], (j * 7 + 3) % size);
}

}  // namespace
}  // namespace copse
