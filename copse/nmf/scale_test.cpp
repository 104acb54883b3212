// The scale of X does not matter: 2^p X gives the bits of W, and those of H times 2^p.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "copse/base/error.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/nmf.h"
#include "copse/nmf/scaled_data.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_integer_sparse;

template <class T>
SparseMatrix<T> scaled(SparseMatrix<T> x, int power) {
  for (T& value : x.values) value = std::ldexp(value, power);
  return x;
}

template <class T>
std::vector<T> scaled(std::span<const T> values, int power) {
  std::vector<T> out(values.begin(), values.end());
  for (T& value : out) value = std::ldexp(value, power);
  return out;
}

// Whether a = 2^power b, where both are numbers with all their bits. The multiplicative update makes tiny ones.
template <class T>
bool equal_but_for_denormals(std::span<const T> a, std::span<const T> b, int power) {
  const std::vector<T> expected = scaled(b, power);
  for (std::size_t e = 0; e < a.size(); ++e) {
    const bool is_denormal = std::min(expected[e], b[e]) < std::numeric_limits<T>::min();
    if (a[e] != expected[e] && !is_denormal) return false;
  }
  return a.size() == b.size();
}

// Integers of 1 to 9 keep their bits down to 2^-149 in float and 2^-1074 in double.
template <class T>
struct Powers;
template <>
struct Powers<float> {
  static constexpr int values[] = {-145, -100, -31, -1, 1, 6, 33, 120};
};
template <>
struct Powers<double> {
  static constexpr int values[] = {-1070, -700, -200, -3, 5, 161, 680, 1015};
};

template <class T>
class Scale : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Scale, Precisions);

TYPED_TEST(Scale, OfTheDataChangesNoBit) {
  using T = TypeParam;
  const auto x = random_integer_sparse<T>(60, 50, 0.2, 3);
  for (const Solver solver :
       {Solver::hals, Solver::mu, Solver::active_set, Solver::pivoting, Solver::projected_gradient}) {
    for (const Start start : {Start::automatic, Start::random, Start::nndsvd, Start::nndsvda, Start::nndsvdar}) {
      for (const bool affine : {false, true}) {
        for (const double beta : {0.0, 0.25}) {
          NmfOptions options{.rank = 4, .solver = solver, .start = start, .max_iterations = 30, .seed = 5};
          options.affine = affine;
          options.beta = beta;
          options.alpha = beta > 0 ? 4 : 0;
          const auto expected = factorize(SparseData<T>(x), options);
          for (const int power : Powers<T>::values) {
            // alpha itself must be a number: 4 * 4^p. The multiplicative update makes entries so small that, far from
            // 1, they leave the range of float.
            if (beta > 0 && std::abs(power) > 500) continue;
            if (solver == Solver::mu && sizeof(T) == sizeof(float) && std::abs(power) > 6) continue;
            SCOPED_TRACE(::testing::Message() << "solver " << int(solver) << " start " << int(start) << " affine "
                                              << affine << " beta " << beta << " power " << power);
            options.alpha = beta > 0 ? std::ldexp(4, 2 * power) : 0;
            const auto times = scaled(x, power);
            const auto found = factorize(SparseData<T>(times), options);
            ASSERT_EQ(found.w, expected.w);
            ASSERT_TRUE(equal_but_for_denormals<T>(found.h.values(), expected.h.values(), power));
            ASSERT_EQ(found.baseline, scaled<T>(expected.baseline, power));
            ASSERT_EQ(found.penalty, expected.penalty);
            ASSERT_EQ(found.stop_reason, expected.stop_reason);
            ASSERT_EQ(found.history.size(), expected.history.size());
            ASSERT_EQ(found.relative_error, expected.relative_error);
            ASSERT_EQ(found.projected_gradient_ratio, expected.projected_gradient_ratio);
            if (std::abs(power) < 400) {
              ASSERT_EQ(found.objective, std::ldexp(expected.objective, 2 * power));
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(Scale, OfGivenFactorsFollowsThatOfTheData) {
  using T = TypeParam;
  const auto x = random_integer_sparse<T>(60, 50, 0.2, 3);
  const auto w = testing::random_dense<T>(60, 3, 1), h = testing::random_dense<T>(50, 3, 2);
  const auto expected = factorize(SparseData<T>(x), {.rank = 3}, w, h);
  for (const int power : Powers<T>::values) {
    if (power < -120) continue;  // h itself loses bits
    const auto times = scaled(x, power);
    Matrix<T> scaled_h = h;
    for (T& value : scaled_h.values()) value = std::ldexp(value, power);
    const auto found = factorize(SparseData<T>(times), {.rank = 3}, w, scaled_h);
    EXPECT_EQ(found.w, expected.w) << power;
    EXPECT_EQ(found.relative_error, expected.relative_error) << power;
  }
}

TYPED_TEST(Scale, OfNewItemsChangesNoBit) {
  using T = TypeParam;
  const auto x = random_integer_sparse<T>(60, 50, 0.2, 3);
  const auto w = testing::random_dense<T>(60, 4, 1);
  auto shared = testing::random_integer_dense<T>(1, 60, 2);
  for (T& value : shared.values()) value /= 16;
  const std::vector<double> penalty = {0.5, 1, 0, 0.25};
  const auto expected = assign_items<T>(SparseData<T>(x), w, shared.row(0), penalty);
  ASSERT_GT(std::ranges::max(expected.values()), 0);
  for (const int power : Powers<T>::values) {
    const auto times = scaled(x, power);
    const auto baseline = scaled<T>(shared.row(0), power);
    const auto found = assign_items<T>(SparseData<T>(times), w, baseline, penalty);
    EXPECT_TRUE(std::ranges::equal(found.values(), scaled<T>(expected.values(), power))) << power;
  }
}

// 1e30, 1e-40 and 1e200 are what it says: planted clusters come back.
TYPED_TEST(Scale, OfTheDataHidesNoCluster) {
  using T = TypeParam;
  for (const double unit : {1e30, 1e-40, sizeof(T) == sizeof(double) ? 1e200 : 1e36, 1e-44}) {
    Matrix<T> items(60, 12);
    for (Index j = 0; j < 60; ++j) {
      for (Index i = 0; i < 12; ++i)
        items(j, i) = j % 3 == i % 3 ? static_cast<T>(unit * static_cast<double>(1 + (i + j) % 5)) : T(0);
    }
    const auto result = factorize(DenseData<T>(items), {.rank = 3});
    EXPECT_LT(result.relative_error, 0.6) << unit;
    for (Index j = 0; j < 60; ++j) {
      const auto row = result.h.row(j);
      EXPECT_GT(std::ranges::max(row), 0) << unit;
      const auto same = result.h.row(j % 3);
      EXPECT_EQ(std::ranges::max_element(row) - row.begin(), std::ranges::max_element(same) - same.begin()) << unit;
    }
  }
}

TEST(ScaleOfData, IsRefusedWhereCoefficientsHaveNoNumber) {
  Matrix<float> items(4, 9);
  for (float& value : items.values()) value = 3e38F;
  EXPECT_THROW(factorize(DenseData<float>(items), {.rank = 1}), InvalidArgument);
}

TEST(ScaledData, IsTheDataDivided) {
  const auto x = random_integer_sparse<double>(20, 15, 0.4, 1);
  const SparseData<double> data(x);
  const auto divided = scaled(x, -7);
  const ScaledData<double> found(data, 7);
  const SparseData<double> expected(divided);
  const auto h = testing::random_dense<double>(15, 3, 1), w = testing::random_dense<double>(20, 3, 2);
  Matrix<double> a, b;
  found.times(h, a), expected.times(h, b);
  EXPECT_EQ(a, b);
  found.transpose_times(w, a), expected.transpose_times(w, b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(found.squared_norm(), expected.squared_norm());
  EXPECT_EQ(exponent_of_norm(found), exponent_of_norm(data) - 7);
  const std::vector<Index> items = {1, 4, 5};
  const auto some = found.select(items);
  EXPECT_EQ(some.data->squared_norm(), expected.select(items).data->squared_norm());
}

}  // namespace
}  // namespace copse
