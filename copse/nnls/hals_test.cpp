#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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

// The definition, one row and one coordinate after another, in double.
template <class T>
void naive_sweep(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<double>& g) {
  for (Index r = 0; r < g.rows(); ++r) {
    for (Index c = 0; c < g.cols(); ++c) {
      double sum = static_cast<double>(rhs(r, c));
      for (Index d = 0; d < g.cols(); ++d) sum -= d == c ? 0 : gram(c, d) * g(r, d);
      g(r, c) = gram(c, c) > 0 ? std::max(0.0, sum / gram(c, c)) : 0;
    }
  }
}

Matrix<double> in_double(const Matrix<float>& x) {
  Matrix<double> out(x.rows(), x.cols());
  std::ranges::copy(x.values(), out.values().begin());
  return out;
}
Matrix<double> in_double(const Matrix<double>& x) { return x; }

template <class T>
void expect_naive_sweeps(double tolerance) {
  for (Index k : {1, 2, 3, 5, 8, 13}) {
    for (Index n : {0, 1, 15, 16, 33, 64, 1100}) {
      const NnlsProblem problem = nnls_problems(k, n).front();
      const auto a = gram(problem.b);
      const auto rhs = testing::right_hand_sides<T>(problem);
      const auto start = random_dense<T>(n, k, 4);
      Matrix<T> g = start;
      sweep_hals(a, rhs, g, {.sweeps = 3});
      auto expected = in_double(start);
      for (int sweep = 0; sweep < 3; ++sweep) naive_sweep(a, rhs, expected);
      for (Index r = 0; r < n; ++r) {
        for (Index c = 0; c < k; ++c) {
          ASSERT_NEAR(static_cast<double>(g(r, c)), expected(r, c), tolerance) << "k " << k << " n " << n;
        }
      }
    }
  }
}

TEST(Hals, SweepsAsDefined) {
  testing::for_each_instruction_set([] {
    expect_naive_sweeps<float>(2e-5);
    expect_naive_sweeps<double>(1e-12);
  });
}

TEST(Hals, NeverRaisesTheObjective) {
  for (const NnlsProblem& problem : nnls_problems(9, 40)) {
    SCOPED_TRACE(problem.name);
    const auto a = gram(problem.b);
    const auto rhs = testing::right_hand_sides<double>(problem);
    auto g = random_dense<double>(40, 9, 5);
    auto before = testing::squared_residuals(problem, g);
    for (int sweep = 0; sweep < 30; ++sweep) {
      sweep_hals(a, rhs, g);
      const auto after = testing::squared_residuals(problem, g);
      for (std::size_t r = 0; r < after.size(); ++r) ASSERT_LE(after[r], before[r] * (1 + 1e-12) + 1e-12);
      before = after;
    }
  }
}

TEST(Hals, ConvergesToTheExactSolution) {
  for (const NnlsProblem& problem : nnls_problems(6, 40)) {
    const bool slow = problem.name == "nearly parallel columns" || problem.name.starts_with("wider than tall");
    SCOPED_TRACE(problem.name);
    auto g = random_dense<double>(40, 6, 5);
    sweep_hals(gram(problem.b), testing::right_hand_sides<double>(problem), g, {.sweeps = 20000});
    testing::expect_kkt(problem, g, slow ? 1e-3 : 1e-9);
  }
}

TEST(Hals, StopsWhenASweepMovesLittle) {
  const NnlsProblem problem = nnls_problems(6, 3).front();
  const auto a = gram(problem.b);
  const auto rhs = testing::right_hand_sides<double>(problem);
  const auto start = random_dense<double>(3, 6, 5);
  const auto swept = [&](HalsOptions options) {
    auto g = start;
    sweep_hals(a, rhs, g, options);
    return g;
  };
  EXPECT_EQ(swept({.sweeps = 100, .min_change = 1}), swept({.sweeps = 1}));
  EXPECT_EQ(swept({.sweeps = 0}), start);
  const auto early = swept({.sweeps = 1000, .min_change = 0.01});
  int stopped = 2;
  while (stopped < 1000 && swept({.sweeps = stopped}) != early) ++stopped;
  ASSERT_LT(stopped, 1000);
  const auto moved = [&](int sweep) {
    const auto before = swept({.sweeps = sweep - 1});
    const auto after = swept({.sweeps = sweep});
    double sum = 0;
    for (std::size_t e = 0; e < after.values().size(); ++e)
      sum += (after.values()[e] - before.values()[e]) * (after.values()[e] - before.values()[e]);
    return std::sqrt(sum);
  };
  EXPECT_LE(moved(stopped), 0.01 * moved(1));
  EXPECT_GT(moved(stopped - 1), 0.01 * moved(1));
}

TEST(Hals, SetsTheCoordinateOfAZeroColumnToZero) {
  Matrix<double> gram(3, 3);
  gram(0, 0) = gram(2, 2) = 1;
  Matrix<float> rhs(40, 3), g(40, 3);
  for (float& value : g.values()) value = 5;
  sweep_hals(gram, rhs, g);
  EXPECT_EQ(g, Matrix<float>(40, 3));
}

TEST(Hals, GivesTheSameBitsForAnyNumberOfThreads) {
  const NnlsProblem problem = nnls_problems(7, 5000).front();
  const auto a = gram(problem.b);
  const auto rhs = testing::right_hand_sides<float>(problem);
  const auto run = [&](int threads) {
    auto g = random_dense<float>(5000, 7, 6);
    with_threads(threads, nullptr, [&] { sweep_hals(a, rhs, g, {.sweeps = 5, .min_change = 0.1}); });
    return g;
  };
  const auto one = run(1);
  for (int threads : {2, 3, 8}) EXPECT_EQ(run(threads), one);
}

}  // namespace
}  // namespace copse
