#include "copse/nmf/error.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "copse/kernels/in_memory.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;

// From the definition, entry by entry.
double naive_relative_error(const Matrix<double>& x, const Matrix<double>& w, const Matrix<double>& h,
                            std::span<const double> baseline) {
  double rest = 0, whole = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      double residual = x(i, j) - (baseline.empty() ? 0 : baseline[i]);
      for (Index c = 0; c < w.cols(); ++c) residual -= w(i, c) * h(j, c);
      rest += residual * residual;
      whole += x(i, j) * x(i, j);
    }
  }
  return std::sqrt(rest / whole);
}

TEST(RelativeError, IsThatOfTheMatrixWrittenOut) {
  for (const auto& [m, n, k] : {std::array<Index, 3>{1, 1, 1}, {40, 30, 3}, {1100, 90, 7}}) {
    const auto sparse = testing::random_integer_sparse<double>(m, n, 0.3, 4);
    Matrix<double> x = testing::to_dense(sparse);
    const auto w = random_dense<double>(m, k, 1), h = random_dense<double>(n, k, 2),
               shared = random_dense<double>(1, m, 3);
    if (x.rows() == 1) x(0, 0) = 2;
    const Matrix<double> items = testing::naive::transposed(x);
    for (const std::span<const double> baseline : {std::span<const double>(), shared.row(0)}) {
      const double expected = naive_relative_error(x, w, h, baseline);
      EXPECT_NEAR(relative_error<double>(DenseData<double>(items), w, h, baseline), expected, 1e-9 * (1 + expected));
    }
  }
}

TEST(RelativeError, OfNothingIsNothing) {
  const Matrix<double> items(4, 5);
  EXPECT_EQ(relative_error<double>(DenseData<double>(items), Matrix<double>(5, 2), Matrix<double>(4, 2)), 0);
}

}  // namespace
}  // namespace copse
