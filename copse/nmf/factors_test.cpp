#include "copse/nmf/factors.h"

#include <gmock/gmock.h>

#include <cmath>

#include "copse/kernels/in_memory.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;
namespace naive = testing::naive;

void expect_near(const Matrix<double>& found, const Matrix<double>& expected) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  for (std::size_t e = 0; e < found.values().size(); ++e)
    ASSERT_NEAR(found.values()[e], expected.values()[e], 1e-12 * (1 + std::abs(expected.values()[e])));
}

// Data of which this is one of two equal parts.
class HalfOfTwo : public DenseData<double> {
 public:
  using DenseData<double>::DenseData;
  void sum(std::span<double> values) const override {
    for (double& value : values) value *= 2;
  }
};

TEST(Factors, SumOverTheRowsOfAllParts) {
  const Matrix<double> items = random_dense<double>(3, 4, 1);
  const HalfOfTwo x(items);
  const Matrix<double> a = random_dense<double>(1300, 5, 2), b = random_dense<double>(1300, 3, 3);
  const auto doubled = [](Matrix<double> f) {
    for (double& value : f.values()) value *= 2;
    return f;
  };
  expect_near(global_gram(x, a), doubled(naive::transpose_times(a, a)));
  expect_near(inner_products(x, a, b), doubled(naive::transpose_times(a, b)));
  const Matrix<double> square = naive::transpose_times(b, b);
  for (Index c = 0; c < 3; ++c) EXPECT_NEAR(squared_columns(x, b)[c], 2 * square(c, c), 1e-9);
}

TEST(UnitColumns, KeepTheProductAndGiveTheNorms) {
  const Matrix<double> items = random_dense<double>(7, 600, 1);
  const DenseData<double> x(items);
  const Factors<double> before{random_dense<double>(600, 4, 2), random_dense<double>(7, 4, 3)};
  Factors<double> after = before;
  const std::vector<double> norms = scale_to_unit_columns(x, after, 3);
  ASSERT_EQ(norms.size(), 3u);
  for (Index c = 0; c < 3; ++c) {
    double square = 0, unit = 0;
    for (Index i = 0; i < 600; ++i) square += before.w(i, c) * before.w(i, c), unit += after.w(i, c) * after.w(i, c);
    EXPECT_NEAR(norms[c], std::sqrt(square), 1e-12 * norms[c]);
    EXPECT_NEAR(unit, 1, 1e-12);
    for (Index j = 0; j < 7; ++j) EXPECT_NEAR(after.w(5, c) * after.h(j, c), before.w(5, c) * before.h(j, c), 1e-12);
  }
  // A column behind the components, such as a baseline, stays.
  for (Index i = 0; i < 600; ++i) EXPECT_EQ(after.w(i, 3), before.w(i, 3));
  for (Index j = 0; j < 7; ++j) EXPECT_EQ(after.h(j, 3), before.h(j, 3));
}

TEST(UnitColumns, MakeADeadComponentZeroInBothFactors) {
  const Matrix<double> items = random_dense<double>(7, 6, 1);
  const DenseData<double> x(items);
  Factors<double> factors{random_dense<double>(6, 3, 2), random_dense<double>(7, 3, 3)};
  for (Index i = 0; i < 6; ++i) factors.w(i, 0) = 0;
  for (Index j = 0; j < 7; ++j) factors.h(j, 2) = 0;
  const std::vector<double> norms = scale_to_unit_columns(x, factors, 3);
  EXPECT_EQ(norms[0], 0);
  EXPECT_GT(norms[1], 0);
  EXPECT_EQ(norms[2], 0);
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(factors.w(i, 2), 0);
  for (Index j = 0; j < 7; ++j) EXPECT_EQ(factors.h(j, 0), 0);
}

TEST(AppendColumns, PutsThemBehindTheOthers) {
  Matrix<double> f = random_dense<double>(5, 2, 1);
  const Matrix<double> before = f, more = random_dense<double>(5, 3, 2);
  append_columns(f, more);
  ASSERT_EQ(f.cols(), 5);
  for (Index i = 0; i < 5; ++i) {
    for (Index c = 0; c < 5; ++c) EXPECT_EQ(f(i, c), c < 2 ? before(i, c) : more(i, c - 2));
  }
}

}  // namespace
}  // namespace copse
