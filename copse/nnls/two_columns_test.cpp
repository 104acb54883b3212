#include "copse/nnls/two_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "copse/base/random.h"
#include "copse/nnls/nnls.h"
#include "tests/support/instruction_sets.h"

namespace copse {
namespace {

struct Problem {
  double a, b, c, y1, y2;
  // |B g - y|^2 - |y|^2
  double objective(double g1, double g2) const {
    return a * g1 * g1 + 2 * b * g1 * g2 + c * g2 * g2 - 2 * (y1 * g1 + y2 * g2);
  }
};

// The least objective over the four active sets of [Kuang 2014, table 15].
double brute_force(const Problem& p) {
  double best = 0;
  if (p.a > 0 && p.y1 > 0) best = std::min(best, p.objective(p.y1 / p.a, 0));
  if (p.c > 0 && p.y2 > 0) best = std::min(best, p.objective(0, p.y2 / p.c));
  const double determinant = p.a * p.c - p.b * p.b;
  if (determinant > 0) {
    const double g1 = (p.c * p.y1 - p.b * p.y2) / determinant, g2 = (p.a * p.y2 - p.b * p.y1) / determinant;
    if (g1 >= 0 && g2 >= 0) best = std::min(best, p.objective(g1, g2));
  }
  return best;
}

TEST(TwoColumns, IsTheBestOfTheFourActiveSets) {
  Random random(3);
  std::array<int, 3> seen{};
  for (int trial = 0; trial < 20000; ++trial) {
    // Five rows of small integers: zero columns, equal columns and orthogonal ones occur.
    Problem p{};
    for (int i = 0; i < 5; ++i) {
      const auto b1 = static_cast<double>(random.below(3)), b2 = static_cast<double>(random.below(3));
      const auto y = static_cast<double>(random.below(5));
      p.a += b1 * b1, p.b += b1 * b2, p.c += b2 * b2, p.y1 += b1 * y, p.y2 += b2 * y;
    }
    const auto [g1, g2] = TwoColumns<double>(p.a, p.b, p.c)(p.y1, p.y2);
    ASSERT_GE(g1, 0);
    ASSERT_GE(g2, 0);
    ASSERT_NEAR(p.objective(g1, g2), brute_force(p), 1e-9);
    ++seen[(g1 > 0) + (g2 > 0)];
  }
  for (const int count : seen) EXPECT_GT(count, 10);
}

// The vector form and the form for one y solve the same problems alike, singular ones too.
TEST(TwoColumns, VectorsOfRightHandSidesHaveTheSameSolutions) {
  testing::for_each_instruction_set([] {
    Random random(5);
    for (const auto& [a, b, c] : {std::array<double, 3>{1, 0, 1},
                                  {2, 1, 3},
                                  {1, 1, 1},
                                  {4, 2, 1},
                                  {0, 0, 4},
                                  {4, 0, 0},
                                  {0, 0, 0},
                                  {1, 1 - 1e-15, 1},
                                  {1, 0.999999, 1},
                                  {1e-200, 5e-201, 1e-200}}) {
      Matrix<double> gram(2, 2), rhs(101, 2), g;
      gram(0, 0) = a, gram(0, 1) = gram(1, 0) = b, gram(1, 1) = c;
      for (double& value : rhs.values()) value = (random.uniform() - 0.3) * std::sqrt(a + c);
      solve_rank2(gram, rhs, g);
      const TwoColumns<double> one(a, b, c, 1e-13);  // as solve_rank2 has it for double
      for (Index i = 0; i < rhs.rows(); ++i) {
        const auto [g1, g2] = one(rhs(i, 0), rhs(i, 1));
        EXPECT_NEAR(g(i, 0), g1, 1e-9 * std::abs(g1));
        EXPECT_NEAR(g(i, 1), g2, 1e-9 * std::abs(g2));
      }
    }
  });
}

// u = v but for rounding, in either direction: the first column takes it all.
TEST(TwoColumns, RoundingDecidesNothingBetweenParallelColumns) {
  for (const double noise : {0.0, 1e-15, -1e-15}) {
    const auto [g1, g2] = TwoColumns<double>(1, 3, 9)(2, 6 * (1 + noise));
    EXPECT_EQ(g1, 2);
    EXPECT_EQ(g2, 0);
  }
  for (const float noise : {0.0F, 1e-6F, -1e-6F}) {
    const auto [g1, g2] = TwoColumns<float>(1, 3, 9)(2, 6 * (1 + noise));
    EXPECT_EQ(g1, 2);
    EXPECT_EQ(g2, 0);
  }
  // Unless it points away.
  const auto [g1, g2] = TwoColumns<double>(1, -1, 1)(-2, 2);
  EXPECT_EQ(g1, 0);
  EXPECT_EQ(g2, 2);
}

TEST(TwoColumns, GuardsZeroAndParallelColumns) {
  const auto [z1, z2] = TwoColumns<float>(0, 0, 0)(0, 0);
  EXPECT_EQ(z1, 0);
  EXPECT_EQ(z2, 0);
  const auto [s1, s2] = TwoColumns<float>(0, 0, 4)(0, 2);
  EXPECT_EQ(s1, 0);
  EXPECT_EQ(s2, 0.5f);
  // Equal columns: the first takes it all.
  const auto [p1, p2] = TwoColumns<float>(1, 1, 1)(3, 3);
  EXPECT_EQ(p1, 3);
  EXPECT_EQ(p2, 0);
}

}  // namespace
}  // namespace copse
