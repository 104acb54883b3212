// The coefficients of new items by their definition: no nonnegative step from them lowers the objective.
#include "copse/nmf/assign.h"

#include <gmock/gmock.h>

#include "copse/base/error.h"
#include "copse/kernels/in_memory.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;

// |x - w0 - W h|^2 + beta (sum h)^2
double objective(std::span<const double> x, std::span<const double> baseline, const Matrix<double>& w,
                 std::span<const double> h, double beta) {
  double sum = 0, total = 0;
  for (Index i = 0; i < w.rows(); ++i) {
    double residual = x[i] - (baseline.empty() ? 0 : baseline[i]);
    for (Index c = 0; c < w.cols(); ++c) residual -= w(i, c) * h[c];
    sum += residual * residual;
  }
  for (const double value : h) total += value;
  return sum + beta * total * total;
}

TEST(AssignItems, FindsTheMinimumOfTheObjective) {
  const Matrix<double> items = random_dense<double>(40, 12, 1), w = random_dense<double>(12, 4, 2);
  const Matrix<double> shared = random_dense<double>(1, 12, 3);
  for (const double beta : {0.0, 0.5}) {
    for (const std::span<const double> baseline : {std::span<const double>(), shared.row(0)}) {
      const Matrix<double> h = assign_items(DenseData<double>(items), w, baseline, beta);
      for (Index j = 0; j < h.rows(); ++j) {
        const double least = objective(items.row(j), baseline, w, h.row(j), beta);
        for (Index c = 0; c < h.cols(); ++c) {
          for (const double step : {1e-4, -1e-4}) {
            Matrix<double> moved = h;
            moved(j, c) += step;
            ASSERT_GE(h(j, c), 0);
            if (moved(j, c) >= 0) {
              EXPECT_GE(objective(items.row(j), baseline, w, moved.row(j), beta), least);
            }
          }
        }
      }
    }
  }
}

TEST(AssignItems, RefusesOtherFeatures) {
  const Matrix<double> items = random_dense<double>(5, 6, 1), w = random_dense<double>(7, 2, 2);
  EXPECT_THROW(assign_items(DenseData<double>(items), w), InvalidArgument);
}

}  // namespace
}  // namespace copse
