#include "copse/measure/factors.h"

#include <gtest/gtest.h>

#include <vector>

#include "copse/base/error.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

TEST(ZeroShare, CountsExactZeros) {
  Matrix<float> factor(2, 4);
  factor(0, 1) = 1e-30f;
  factor(1, 3) = 2;
  EXPECT_EQ(zero_share(factor), 0.75);
  EXPECT_EQ(zero_share(Matrix<float>()), 0);
}

TEST(SumOfSquaredErrors, EqualsTheSumOverPairs) {
  // [Kuang 2014, eq. 4]: sum_j 1 / (2 |C_j|) sum over pairs of |x_i - x_i'|^2.
  const auto x = testing::random_integer_sparse<double>(12, 20, 0.4, 6);
  const auto items = testing::naive::transposed(testing::to_dense(x));
  std::vector<Index> labels(20);
  for (std::size_t j = 0; j < labels.size(); ++j) labels[j] = static_cast<Index>(j * j % 7) - 3;
  double expected = 0;
  for (Index a = 0; a < 20; ++a) {
    double size = 0, pairs = 0;
    for (Index b = 0; b < 20; ++b) {
      if (labels[a] != labels[b]) continue;
      size += 1;
      for (Index i = 0; i < 12; ++i) pairs += (items(a, i) - items(b, i)) * (items(a, i) - items(b, i));
    }
    expected += pairs / (2 * size);
  }
  EXPECT_NEAR(sum_of_squared_errors(Dataset<double>{.values = x}, labels), expected, 1e-9);
  EXPECT_NEAR(sum_of_squared_errors(Dataset<double>{.values = items}, labels), expected, 1e-9);
  labels.pop_back();
  EXPECT_THROW(sum_of_squared_errors(Dataset<double>{.values = x}, labels), InvalidArgument);
}

}  // namespace
}  // namespace copse
