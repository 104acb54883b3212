#include <gtest/gtest.h>

#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/nnls/nnls.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/nnls.h"
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

// Integers: every sum is exact, so that equality can be demanded.
template <class T>
void expect_naive() {
  for (Index k : {1, 2, 3, 4, 7, 16}) {
    for (Index n : {0, 1, 31, 64, 65, 1100}) {
      auto b = testing::random_integer_dense<T>(3, k, 1);
      for (T& value : b.values()) value = value < T(5) ? T(0) : T(1);
      const auto a = gram(b);
      const auto rhs = testing::random_integer_dense<T>(n, k, 2);
      auto g = testing::random_integer_dense<T>(n, k, 3);
      for (T& value : g.values()) value = value < T(5) ? T(0) : T(1);
      std::vector<double> expected(static_cast<std::size_t>(k));
      for (Index r = 0; r < n; ++r) {
        for (Index c = 0; c < k; ++c) {
          double gradient = -static_cast<double>(rhs(r, c));
          for (Index d = 0; d < k; ++d) gradient += a(c, d) * static_cast<double>(g(r, d));
          if (g(r, c) > T(0) || gradient < 0) expected[static_cast<std::size_t>(c)] += gradient * gradient;
        }
      }
      EXPECT_EQ(squared_projected_gradient(a, rhs, g), expected) << "k " << k << " n " << n;
    }
  }
}

TEST(SquaredProjectedGradient, EqualsItsDefinitionExactly) {
  testing::for_each_instruction_set([] {
    expect_naive<float>();
    expect_naive<double>();
  });
}

TEST(SquaredProjectedGradient, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto b = testing::random_dense<float>(10, 5, 1);
  const auto rhs = testing::random_dense<float>(5000, 5, 2);
  const auto g = testing::random_dense<float>(5000, 5, 3);
  const auto run = [&](int threads) {
    std::vector<double> squares;
    with_threads(threads, nullptr, [&] { squares = squared_projected_gradient(gram(b), rhs, g); });
    return squares;
  };
  for (int threads : {2, 3, 8}) EXPECT_EQ(run(threads), run(1));
}

}  // namespace
}  // namespace copse
