#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/gram.h"
#include "copse/nnls/nnls.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/nnls.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::expect_exact;
using testing::nnls_problems;

TEST(Rank2, IsExactOnEveryKindOfProblem) {
  testing::for_each_instruction_set([] {
    for (Index n : {0, 1, 2, 3, 4, 5, 31, 100}) {
      expect_exact<double>(solve_rank2<double>, nnls_problems(2, n));
      expect_exact<float>(solve_rank2<float>, nnls_problems(2, n));
    }
  });
}

// More than one block of rows.
TEST(Rank2, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto b = testing::random_dense<float>(5, 2, 1);
  auto rhs = testing::random_dense<float>(50000, 2, 2);
  for (float& value : rhs.values()) value -= 0.5F;
  const auto solved = [&](int threads) {
    Matrix<float> g;
    with_threads(threads, nullptr, [&] { solve_rank2(gram(b), rhs, g); });
    return g;
  };
  const auto one = solved(1);
  for (int threads : {2, 3, 8}) EXPECT_EQ(solved(threads), one) << threads << " threads";
  const auto squares = squared_projected_gradient(gram(b), rhs, one);
  for (const double square : squares) EXPECT_LT(square, 1e-8);
}

// Right-hand sides in every quadrant, columns at every angle.
TEST(Rank2, IsExactForColumnsAtAnyAngle) {
  for (double cosine : {-1.0, -0.999, -0.5, 0.0, 0.5, 0.999999, 1.0}) {
    testing::NnlsProblem problem{"cosine " + std::to_string(cosine), Matrix<double>(2, 2), Matrix<double>(2, 400)};
    problem.b(0, 0) = 2;
    problem.b(0, 1) = 3 * cosine;
    problem.b(1, 1) = 3 * std::sqrt(1 - cosine * cosine);
    Random random(3);
    for (double& value : problem.y.values()) value = random.uniform() - 0.5;
    expect_exact<double>(solve_rank2<double>, {problem});
    expect_exact<float>(solve_rank2<float>, {problem});
  }
}

TEST(Rank2, UsesTheOtherColumnWhenOneIsZero) {
  Matrix<float> rhs(1, 2), g;
  Matrix<double> gram(2, 2);
  gram(1, 1) = 4, rhs(0, 1) = 2;
  solve_rank2(gram, rhs, g);
  EXPECT_EQ(g(0, 0), 0);
  EXPECT_EQ(g(0, 1), 0.5F);
}

}  // namespace
}  // namespace copse
