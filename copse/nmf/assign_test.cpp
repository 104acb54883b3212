// The coefficients of new items by their definition: no nonnegative step from them lowers the objective.
#include "copse/nmf/assign.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "copse/base/error.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/nmf.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;

// |x - w0 - W h|^2 + (penalty'h)^2
double objective(std::span<const double> x, std::span<const double> baseline, const Matrix<double>& w,
                 std::span<const double> h, std::span<const double> penalty) {
  double sum = 0, total = 0;
  for (Index i = 0; i < w.rows(); ++i) {
    double residual = x[i] - (baseline.empty() ? 0 : baseline[i]);
    for (Index c = 0; c < w.cols(); ++c) residual -= w(i, c) * h[c];
    sum += residual * residual;
  }
  for (std::size_t c = 0; c < penalty.size(); ++c) total += penalty[c] * h[c];
  return sum + total * total;
}

TEST(AssignItems, FindsTheMinimumOfTheObjective) {
  const Matrix<double> items = random_dense<double>(40, 12, 1), w = random_dense<double>(12, 4, 2);
  const Matrix<double> shared = random_dense<double>(1, 12, 3);
  for (const std::vector<double>& penalty : {std::vector<double>(), std::vector<double>{0.5, 2, 0, 1}}) {
    for (const std::span<const double> baseline : {std::span<const double>(), shared.row(0)}) {
      const Matrix<double> h = assign_items(DenseData<double>(items), w, baseline, penalty);
      for (Index j = 0; j < h.rows(); ++j) {
        const double least = objective(items.row(j), baseline, w, h.row(j), penalty);
        for (Index c = 0; c < h.cols(); ++c) {
          for (const double step : {1e-4, -1e-4}) {
            Matrix<double> moved = h;
            moved(j, c) += step;
            ASSERT_GE(h(j, c), 0);
            if (moved(j, c) >= 0) {
              EXPECT_GE(objective(items.row(j), baseline, w, moved.row(j), penalty), least);
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

TEST(AssignItems, RefusesAPenaltyThatIsNone) {
  const Matrix<double> items = random_dense<double>(5, 7, 1), w = random_dense<double>(7, 2, 2);
  const DenseData<double> x(items);
  for (const std::vector<double>& penalty :
       {std::vector<double>{1}, {1, 2, 3}, {1, -1}, {1, std::nan("")}, {1, std::numeric_limits<double>::infinity()}})
    EXPECT_THROW(assign_items<double>(x, w, {}, penalty), InvalidArgument);
}

// What the fit minimised over H at the scale of its solver is, at the scale of the result, what assign_items solves:
// the H of a converged fit meets its KKT conditions and is its answer.
TEST(AssignItems, GivesTheItemsOfASparseFitTheirCoefficients) {
  const Matrix<double> dense = random_dense<double>(50, 30, 3);
  const auto sparse = testing::random_integer_sparse<double>(30, 50, 0.3, 4);
  const DenseData<double> dense_data(dense);
  const SparseData<double> sparse_data(sparse);
  const Matrix<double> items_of_sparse = testing::naive::transposed(testing::to_dense(sparse));
  for (const bool is_sparse : {false, true}) {
    const Data<double>& x = is_sparse ? static_cast<const Data<double>&>(sparse_data) : dense_data;
    const Matrix<double>& items = is_sparse ? items_of_sparse : dense;
    const double largest = *std::ranges::max_element(items.values());
    for (const SparseWeights& weights : {thesis_sparse_weights(largest), snmf_sparse_weights(largest, is_sparse)}) {
      for (const bool affine : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << "sparse " << is_sparse << " beta " << weights.beta << " affine " << affine);
        const auto fit = factorize(x, {.rank = 4,
                                       .solver = Solver::pivoting,
                                       .max_iterations = 50000,
                                       .tolerance = 1e-9,
                                       .alpha = weights.alpha,
                                       .beta = weights.beta,
                                       .affine = affine});
        ASSERT_EQ(fit.stop_reason, StopReason::converged);
        ASSERT_EQ(fit.penalty.size(), 4u);
        const double scale = std::sqrt(x.squared_norm());
        double largest_slope = 0;
        for (Index j = 0; j < items.rows(); ++j) {
          const auto h = fit.h.row(j);
          for (Index c = 0; c < 4; ++c) {
            // W'(W h + w0 - x) + v v'h
            double slope = 0;
            for (Index d = 0; d < 4; ++d) slope += fit.penalty[c] * fit.penalty[d] * h[d];
            for (Index i = 0; i < items.cols(); ++i) {
              double residual = (affine ? fit.baseline[i] : 0) - items(j, i);
              for (Index d = 0; d < 4; ++d) residual += fit.w(i, d) * h[d];
              slope += fit.w(i, c) * residual;
            }
            EXPECT_GE(slope, -1e-5 * scale);
            if (h[c] > 0) largest_slope = std::max(largest_slope, std::abs(slope));
          }
        }
        EXPECT_LT(largest_slope, 1e-5 * scale);
        const Matrix<double> again = assign_items<double>(x, fit.w, fit.baseline, fit.penalty);
        for (std::size_t e = 0; e < again.values().size(); ++e)
          ASSERT_NEAR(again.values()[e], fit.h.values()[e], 1e-4 * scale);
      }
    }
  }
}

TEST(AssignItems, HasNoPenaltyWhereTheFitHadNone) {
  const Matrix<double> items = random_dense<double>(20, 10, 3);
  EXPECT_TRUE(factorize(DenseData<double>(items), {.rank = 2}).penalty.empty());
}

}  // namespace
}  // namespace copse
