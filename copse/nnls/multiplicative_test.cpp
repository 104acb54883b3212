#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/nnls/nnls.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/nnls.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::nnls_problems;
using testing::NnlsProblem;
using testing::random_dense;

template <class T>
void expect_naive_update(double tolerance) {
  for (Index k : {1, 2, 5, 8}) {
    for (Index n : {0, 1, 33, 1100}) {
      const NnlsProblem problem = nnls_problems(k, n)[1];  // some right-hand sides are negative
      const auto a = gram(problem.b);
      const auto rhs = testing::right_hand_sides<T>(problem);
      const auto start = random_dense<T>(n, k, 4);
      Matrix<T> g = start;
      update_multiplicative(a, rhs, g);
      for (Index r = 0; r < n; ++r) {
        for (Index c = 0; c < k; ++c) {
          double below = 0;
          for (Index d = 0; d < k; ++d) below += a(c, d) * static_cast<double>(start(r, d));
          const double expected =
              static_cast<double>(start(r, c)) * std::max(0.0, static_cast<double>(rhs(r, c))) / below;
          ASSERT_NEAR(static_cast<double>(g(r, c)), expected, tolerance * expected) << "k " << k << " n " << n;
        }
      }
    }
  }
}

TEST(Multiplicative, UpdatesAsDefined) {
  testing::for_each_instruction_set([] {
    expect_naive_update<float>(1e-5);
    expect_naive_update<double>(1e-13);
  });
}

TEST(Multiplicative, NeverRaisesTheObjectiveAndKeepsZeros) {
  for (const NnlsProblem& problem : nnls_problems(9, 40)) {
    if (problem.name.find("signed") != std::string::npos) continue;  // its proof needs gram >= 0
    SCOPED_TRACE(problem.name);
    const auto a = gram(problem.b);
    const auto rhs = testing::right_hand_sides<double>(problem);
    auto g = random_dense<double>(40, 9, 5);
    for (Index r = 0; r < 40; ++r) g(r, r % 9) = 0;
    auto before = testing::squared_residuals(problem, g);
    for (int update = 0; update < 30; ++update) {
      update_multiplicative(a, rhs, g);
      const auto after = testing::squared_residuals(problem, g);
      for (std::size_t r = 0; r < after.size(); ++r) ASSERT_LE(after[r], before[r] * (1 + 1e-12));
      before = after;
      for (Index r = 0; r < 40; ++r) ASSERT_EQ(g(r, r % 9), 0);
    }
  }
}

TEST(Multiplicative, TakesZeroOverZeroAsZero) {
  Matrix<float> rhs(1, 2), g(1, 2);
  g(0, 0) = 3;
  update_multiplicative(Matrix<double>(2, 2), rhs, g);
  EXPECT_EQ(g, Matrix<float>(1, 2));
}

TEST(Multiplicative, GivesTheSameBitsForAnyNumberOfThreads) {
  const NnlsProblem problem = nnls_problems(7, 5000).front();
  const auto rhs = testing::right_hand_sides<float>(problem);
  const auto run = [&](int threads) {
    auto g = random_dense<float>(5000, 7, 6);
    with_threads(threads, nullptr, [&] { update_multiplicative(gram(problem.b), rhs, g); });
    return g;
  };
  for (int threads : {2, 3, 8}) EXPECT_EQ(run(threads), run(1));
}

}  // namespace
}  // namespace copse
