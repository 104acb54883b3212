#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/nnls/nnls.h"
#include "tests/support/nnls.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::nnls_problems;
using testing::NnlsProblem;
using testing::random_dense;

// Of the problem with unit columns, which is what the solver looks at.
double norm(const Matrix<double>& gram, const Matrix<double>& rhs, const Matrix<double>& g) {
  double sum = 0;
  const auto squares = squared_projected_gradient(gram, rhs, g);
  for (Index c = 0; c < gram.rows(); ++c) {
    if (gram(c, c) > 0) sum += squares[static_cast<std::size_t>(c)] / gram(c, c);
  }
  return std::sqrt(sum);
}

TEST(ProjectedGradient, ShrinksTheProjectedGradientToTheToleranceAndNeverRaisesTheObjective) {
  for (double tolerance : {1e-3, 1e-6}) {
    for (const NnlsProblem& problem : nnls_problems(6, 40)) {
      if (problem.name == "nearly parallel columns" && tolerance < 1e-4) continue;  // too slow to wait for
      SCOPED_TRACE(problem.name);
      const auto a = gram(problem.b);
      const auto rhs = testing::right_hand_sides<double>(problem);
      const auto start = random_dense<double>(40, 6, 5);
      auto g = start;
      solve_projected_gradient(a, rhs, g, {.tolerance = tolerance, .max_iterations = 20000});
      EXPECT_LE(norm(a, rhs, g), 1.01 * tolerance * norm(a, rhs, start));
      const auto before = testing::squared_residuals(problem, start);
      const auto after = testing::squared_residuals(problem, g);
      EXPECT_LE(std::accumulate(after.begin(), after.end(), 0.0), std::accumulate(before.begin(), before.end(), 0.0));
      for (double value : g.values()) ASSERT_GE(value, 0);
    }
  }
}

TEST(ProjectedGradient, LeavesASolutionAlone) {
  const auto a = gram(nnls_problems(5, 20).front().b);
  Matrix<double> g(20, 5);
  solve_projected_gradient(a, Matrix<double>(20, 5), g);  // zero solves it
  EXPECT_EQ(g, Matrix<double>(20, 5));
}

TEST(ProjectedGradient, GivesTheSameBitsForAnyNumberOfThreads) {
  const NnlsProblem problem = nnls_problems(4, 1000).front();
  const auto rhs = testing::right_hand_sides<float>(problem);
  const auto run = [&](int threads) {
    auto g = random_dense<float>(1000, 4, 6);
    with_threads(threads, nullptr, [&] { solve_projected_gradient(gram(problem.b), rhs, g); });
    return g;
  };
  for (int threads : {2, 3, 8}) EXPECT_EQ(run(threads), run(1));
}

}  // namespace
}  // namespace copse
