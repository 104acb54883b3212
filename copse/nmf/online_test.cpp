// Batches against their definition: W is the minimiser for what is kept, the statistics are their sums, and one read of
// planted data finds its factors.
#include "copse/nmf/online.h"

#include <gtest/gtest.h>

#include <cmath>

#include "copse/base/error.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/error.h"
#include "copse/nmf/nmf.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;

Matrix<double> rows_of(const Matrix<double>& items, Index begin, Index end) {
  Matrix<double> part(end - begin, items.cols());
  for (Index j = begin; j < end; ++j) std::ranges::copy(items.row(j), part.row(j - begin).begin());
  return part;
}

OnlineNmf<double> begun(const Matrix<double>& first, Index k) {
  const auto fit = factorize(DenseData<double>(first), {.rank = k, .tolerance = 1e-6});
  return {fit.w, Matrix<double>(k, k), Matrix<double>(first.cols(), k)};
}

TEST(OnlineNmf, KeepsTheSumsAndTheirMinimiser) {
  const Matrix<double> items = random_dense<double>(60, 15, 3);
  const Index k = 3;
  OnlineNmf<double> model = begun(rows_of(items, 0, 20), k);
  for (const double keep : {1.0, 0.7, 0.0}) {
    const OnlineNmf<double> before = model;
    const DenseData<double> x(items);
    take_in(model, x, keep);
    // |x - W h|^2 over what is kept is at least what another W >= 0 would give: KKT of <W'W, A> - 2 <W, B>.
    for (Index i = 0; i < 15; ++i) {
      for (Index c = 0; c < k; ++c) {
        double slope = -model.b(i, c);
        for (Index d = 0; d < k; ++d) slope += model.w(i, d) * model.a(d, c);
        EXPECT_GT(slope, -1e-8 * model.a(c, c));
        EXPECT_LT(std::abs(slope * model.w(i, c)), 1e-8 * model.a(c, c));
      }
    }
    const Matrix<double> products = gram(model.w);
    for (Index c = 0; c < k; ++c) EXPECT_NEAR(products(c, c), 1, 1e-12);
    // A of the components at their old scale; its correlations do not depend on the scale.
    Matrix<double> sums = gram(assign_items<double>(x, before.w));
    for (Index c = 0; c < k; ++c) {
      for (Index d = 0; d < k; ++d) sums(c, d) += keep * before.a(c, d);
    }
    for (Index c = 0; c < k; ++c) {
      for (Index d = 0; d < k; ++d)
        EXPECT_NEAR(model.a(c, d) / std::sqrt(model.a(c, c) * model.a(d, d)),
                    sums(c, d) / std::sqrt(sums(c, c) * sums(d, d)), 1e-9);
    }
  }
}

TEST(OnlineNmf, FindsPlantedFactorsInOneRead) {
  const Index k = 4, features = 30, items = 2000;
  Matrix<double> w = random_dense<double>(features, k, 1), h = random_dense<double>(items, k, 2);
  for (Matrix<double>* f : {&w, &h}) {
    for (double& value : f->values()) value = value < 0.6 ? 0 : value;
  }
  Matrix<double> x(items, features);
  for (Index j = 0; j < items; ++j) {
    for (Index i = 0; i < features; ++i) {
      for (Index c = 0; c < k; ++c) x(j, i) += w(i, c) * h(j, c);
    }
  }
  OnlineNmf<double> model = begun(rows_of(x, 0, 100), k);
  for (Index begin = 0; begin < items; begin += 100) {
    const Matrix<double> batch = rows_of(x, begin, begin + 100);
    const double seen = static_cast<double>(begin) / static_cast<double>(begin + 100);
    take_in(model, DenseData<double>(batch), seen);
  }
  const DenseData<double> all(x);
  EXPECT_LT(relative_error(all, model.w, take_in(model, all, 1)), 0.02);
}

TEST(OnlineNmf, KeepsAComponentThatNoItemHas) {
  Matrix<double> x(6, 4);
  for (Index j = 0; j < 6; ++j) x(j, j % 2) = 1;  // features 2 and 3 have no entries
  Matrix<double> w(4, 3);
  w(0, 0) = w(1, 1) = w(3, 2) = 1;
  OnlineNmf<double> model{w, Matrix<double>(3, 3), Matrix<double>(4, 3)};
  take_in(model, DenseData<double>(x), 1);
  EXPECT_EQ(model.w, w);
}

TEST(OnlineNmf, RefusesWhatDoesNotFit) {
  const Matrix<double> items = random_dense<double>(10, 5, 3);
  const DenseData<double> x(items);
  OnlineNmf<double> model{random_dense<double>(5, 2, 1), Matrix<double>(2, 2), Matrix<double>(5, 2)};
  EXPECT_THROW(take_in(model, x, 1.5), InvalidArgument);
  EXPECT_THROW(take_in(model, x, std::nan("")), InvalidArgument);
  model.a = Matrix<double>(3, 3);
  EXPECT_THROW(take_in(model, x, 1), InvalidArgument);
}

}  // namespace
}  // namespace copse
