#include "copse/measure/component_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/random.h"

namespace copse {
namespace {

Matrix<double> random_rows(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> values(rows, cols);
  for (double& value : values.values()) value = random.uniform() < 0.4 ? 0 : random.uniform();
  return values;
}

double cosine(const Matrix<double>& a, Index i, const Matrix<double>& b, Index j) {
  double dot = 0, one = 0, other = 0;
  for (Index c = 0; c < a.cols(); ++c) dot += a(i, c) * b(j, c), one += a(i, c) * a(i, c), other += b(j, c) * b(j, c);
  return dot / std::sqrt(one * other);
}

// All ways to pair them, by hand.
TEST(MatchComponents, HasTheLargestSumOfCosinesOverAllPairings) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Matrix<double> a = random_rows(4, 9, seed), b = random_rows(6, 9, seed + 10);
    std::vector<Index> order(6);
    std::iota(order.begin(), order.end(), Index(0));
    double best = 0;
    do {
      double sum = 0;
      for (Index c = 0; c < 4; ++c) sum += cosine(a, c, b, order[c]);
      best = std::max(best, sum);
    } while (std::ranges::next_permutation(order).found);
    const auto matches = match_components(a, b);
    double sum = 0;
    for (Index c = 0; c < 4; ++c) {
      EXPECT_NEAR(matches[c].cosine, cosine(a, c, b, matches[c].partner), 1e-14);
      sum += matches[c].cosine;
      for (Index r = 0; r < 6; ++r) EXPECT_GE(matches[c].nearest_cosine, cosine(a, c, b, r) - 1e-14);
      for (Index d = 0; d < c; ++d) EXPECT_NE(matches[c].partner, matches[d].partner);
    }
    EXPECT_NEAR(sum, best, 1e-12);
  }
}

TEST(MatchComponents, OfMoreComponentsThanReferencesAndOfZeros) {
  Matrix<double> a(3, 2), b(1, 2);
  a(0, 0) = 2, a(1, 0) = a(1, 1) = 1;
  b(0, 0) = 5;
  const auto matches = match_components(a, b);
  EXPECT_EQ(matches[0].partner, 0);
  EXPECT_NEAR(matches[0].cosine, 1, 1e-15);
  EXPECT_EQ(matches[1].partner, -1);
  EXPECT_EQ(matches[1].nearest, 0);
  EXPECT_NEAR(matches[1].nearest_cosine, std::sqrt(0.5), 1e-15);
  EXPECT_EQ(matches[2].partner, -1);
  EXPECT_EQ(matches[2].nearest_cosine, 0);
  EXPECT_THROW(match_components(a, Matrix<double>(1, 3)), InvalidArgument);
}

}  // namespace
}  // namespace copse
