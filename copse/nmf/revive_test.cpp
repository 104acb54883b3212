#include "copse/nmf/revive.h"

#include <gtest/gtest.h>

#include <vector>

#include "copse/kernels/in_memory.h"
#include "copse/nmf/residual.h"

namespace copse {
namespace {

constexpr Index revived_clusters = 5;
constexpr Index items_each = 8;
constexpr Index features_each = 4;

// The factors of blocks with nothing in common: cluster c has the features and items c times as heavy as the first.
Factors<double> exact_factors() {
  Factors<double> factors{Matrix<double>(revived_clusters * features_each, revived_clusters),
                          Matrix<double>(revived_clusters * items_each, revived_clusters)};
  for (Index i = 0; i < factors.w.rows(); ++i) factors.w(i, i / features_each) = 1;
  for (Index j = 0; j < factors.h.rows(); ++j)
    factors.h(j, j / items_each) = static_cast<double>(1 + j / items_each) / (1 + j % 3);
  return factors;
}

Matrix<double> items_of(const Factors<double>& factors) {
  Matrix<double> items(factors.h.rows(), factors.w.rows());
  for (Index j = 0; j < items.rows(); ++j) {
    for (Index i = 0; i < items.cols(); ++i) {
      for (Index c = 0; c < revived_clusters; ++c) items(j, i) += factors.w(i, c) * factors.h(j, c);
    }
  }
  return items;
}

TEST(Revive, GivesSeveralComponentsTheClustersThatNoOtherHas) {
  const Factors<double> exact = exact_factors();
  const Matrix<double> items = items_of(exact);
  const DenseData<double> x(items);
  Factors<double> factors = exact;
  const std::vector<Index> dead{1, 3, 4};
  for (Index i = 0; i < factors.w.rows(); ++i) factors.w(i, 1) = factors.w(i, 4) = 0;  // dead in W
  for (Index j = 0; j < factors.h.rows(); ++j) factors.h(j, 3) = 0;                    // dead in H
  const double before = Residual<double>(x, factors).squared_norm();
  ASSERT_GT(before, 0.5 * x.squared_norm());
  EXPECT_EQ(revive_components<double>(x, factors, dead, 2.0, before, 1e-4, 7), 3);
  EXPECT_LT(Residual<double>(x, factors).squared_norm(), 1e-9 * before);
  for (const Index c : dead) {
    double square = 0;
    for (Index i = 0; i < factors.w.rows(); ++i) square += factors.w(i, c) * factors.w(i, c);
    EXPECT_NEAR(square, 4, 1e-9);
  }
  for (Index i = 0; i < factors.w.rows(); ++i) {
    for (const Index c : {0, 2}) EXPECT_EQ(factors.w(i, c), exact.w(i, c));
  }
}

TEST(Revive, LeavesAComponentDeadWhereNothingIsLeftForIt) {
  const Factors<double> exact = exact_factors();
  const Matrix<double> items = items_of(exact);
  const DenseData<double> x(items);
  Factors<double> factors{Matrix<double>(exact.w.rows(), revived_clusters + 1),
                          Matrix<double>(exact.h.rows(), revived_clusters + 1)};
  for (Index c = 0; c < revived_clusters; ++c) {
    for (Index i = 0; i < exact.w.rows(); ++i) factors.w(i, c) = 0.999 * exact.w(i, c);
    for (Index j = 0; j < exact.h.rows(); ++j) factors.h(j, c) = exact.h(j, c);
  }
  const std::vector<Index> dead{revived_clusters};
  // All that is left is a millionth of the data; a component for that is not wanted.
  EXPECT_EQ(revive_components<double>(x, factors, dead, 1.0, x.squared_norm(), 1e-4, 7), 0);
  for (Index i = 0; i < factors.w.rows(); ++i) EXPECT_EQ(factors.w(i, revived_clusters), 0);
}

}  // namespace
}  // namespace copse
