#include <gtest/gtest.h>

#include <cmath>

#include "copse/kernels/gram.h"
#include "copse/nnls/nnls.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

TEST(SquaredProjectedGradient, CountsOnlyTheNegativePartWhereGIsZero) {
  Matrix<double> gram(2, 2), rhs(2, 2), g(2, 2);
  gram(0, 0) = 2, gram(0, 1) = gram(1, 0) = 1, gram(1, 1) = 3;
  g(0, 0) = 1;                    // gradient of row 0: (2, 1) - rhs
  rhs(0, 0) = 5, rhs(0, 1) = 4;   // (-3, -3): both count
  rhs(1, 0) = -1, rhs(1, 1) = 7;  // row 1, g = 0: (1, -7): only the second counts
  EXPECT_EQ(squared_projected_gradient(gram, rhs, g), (std::vector<double>{9, 9 + 49}));
}

TEST(ExactSolvers, MeetTheKktConditions) {
  for (Index k : {1, 2, 5, 20}) {
    const auto b = testing::random_dense<double>(30, k, 1);
    auto y = testing::random_dense<double>(30, 50, 2);
    for (double& value : y.values()) value -= 0.4;
    const auto a = gram(b);
    const auto rhs = testing::naive::transpose_times(y, b);
    const double first = [&] {
      double sum = 0;
      for (double value : squared_projected_gradient(a, rhs, Matrix<double>(50, k))) sum += value;
      return sum;
    }();
    const auto check = [&](auto solve, double tolerance) {
      Matrix<double> g(50, k);
      solve(a, rhs, g);
      double sum = 0;
      for (double value : squared_projected_gradient(a, rhs, g)) sum += value;
      EXPECT_LE(std::sqrt(sum), tolerance * std::sqrt(first)) << k;
      for (double value : g.values()) EXPECT_GE(value, 0);
    };
    check(solve_active_set<double>, 1e-12);
    check(solve_pivoting<double>, 1e-12);
    if (k == 2) check(solve_rank2<double>, 1e-12);
    check([](auto&... x) { solve_projected_gradient(x..., {.tolerance = 1e-6}); }, 1e-5);
    check([](auto&... x) { sweep_hals(x..., {.sweeps = 5000}); }, 1e-7);
    check(
        [](auto& gr, auto& r, auto& g) {
          for (double& value : g.values()) value = 1;
          for (int i = 0; i < 5000; ++i) update_multiplicative(gr, r, g);
        },
        0.9);
  }
}

}  // namespace
}  // namespace copse
