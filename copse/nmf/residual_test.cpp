#include "copse/nmf/residual.h"

#include <gtest/gtest.h>

#include <cmath>

#include "copse/kernels/in_memory.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

// Against X - W H written out.
TEST(Residual, MultipliesAsTheMatrixWrittenOut) {
  const auto sparse = testing::random_integer_sparse<double>(1100, 700, 0.05, 4);
  const SparseData<double> x{SparseView<double>(sparse)};
  const Factors<double> factors{testing::random_dense<double>(1100, 3, 1), testing::random_dense<double>(700, 3, 2)};
  const Residual<double> residual(x, factors);
  auto dense = testing::to_dense(sparse);
  for (Index i = 0; i < dense.rows(); ++i) {
    for (Index j = 0; j < dense.cols(); ++j) {
      for (Index c = 0; c < 3; ++c) dense(i, j) -= factors.w(i, c) * factors.h(j, c);
    }
  }
  const auto expect_near = [](const Matrix<double>& found, const Matrix<double>& expected) {
    ASSERT_EQ(found.values().size(), expected.values().size());
    for (std::size_t e = 0; e < found.values().size(); ++e)
      ASSERT_NEAR(found.values()[e], expected.values()[e], 1e-9 * (1 + std::abs(expected.values()[e])));
  };
  const auto h = testing::random_dense<double>(700, 2, 3), w = testing::random_dense<double>(1100, 4, 5);
  Matrix<double> out;
  residual.times(h, out);
  expect_near(out, testing::naive::times(dense, h));
  residual.transpose_times(w, out);
  expect_near(out, testing::naive::transpose_times(dense, w));
  double square = 0;
  for (const double value : dense.values()) square += value * value;
  EXPECT_NEAR(residual.squared_norm(), square, 1e-9 * square);
  EXPECT_EQ(residual.rows(), 1100);
  EXPECT_EQ(residual.cols(), 700);
}

}  // namespace
}  // namespace copse
