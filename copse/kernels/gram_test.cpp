#include "copse/kernels/gram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "copse/base/parallel.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::for_each_instruction_set;
using testing::random_dense;
using testing::random_integer_dense;

template <class T>
Matrix<double> in_double(const Matrix<T>& x) {
  Matrix<double> result(x.rows(), x.cols());
  for (std::size_t e = 0; e < x.values().size(); ++e) result.values()[e] = static_cast<double>(x.values()[e]);
  return result;
}

template <class T>
class Gram : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Gram, Types);

TYPED_TEST(Gram, OfSomeRowsEqualsThatOfACopyOfThem) {
  using T = TypeParam;
  for_each_instruction_set([] {
    GramScratch<T> scratch;
    for (const Index k : {1, 2, 3, 5, 8, 9, 17}) {
      const auto f = random_integer_dense<T>(90, k, 5);
      for (const Index count : {0, 1, 16, 32, 40, 77}) {
        std::vector<Index> rows;  // in no order, some twice
        Matrix<T> copy(count, k);
        for (Index r = 0; r < count; ++r) {
          rows.push_back((r * 37) % 61);
          std::ranges::copy(f.row(rows.back()), copy.row(r).begin());
        }
        std::vector<double> found(static_cast<std::size_t>(k * k), -1);
        gram_of_some(f, rows, scratch, found.data());
        const auto expected = testing::naive::transpose_times(in_double(copy), in_double(copy));
        for (Index a = 0; a < k; ++a) {
          for (Index b = a; b < k; ++b)
            ASSERT_EQ(found[static_cast<std::size_t>(a * k + b)], expected(a, b)) << count << " x " << k;
        }
      }
    }
  });
}

TYPED_TEST(Gram, EqualsTheNaiveProductExactly) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (Index rows : {0, 1, 31, 32, 33, 100, 1500}) {
      for (Index k = 0; k <= 70; k += rows > 100 ? 11 : 1) {
        const auto f = random_integer_dense<T>(rows, k, 5);
        ASSERT_EQ(gram(f), testing::naive::transpose_times(in_double(f), in_double(f))) << rows << " x " << k;
      }
    }
    const auto pairs = random_integer_dense<T>(20003, 2, 6);
    EXPECT_EQ(gram(pairs), testing::naive::transpose_times(in_double(pairs), in_double(pairs)));
  });
}

// 300,000 products added up one by one in float would be off by 1e-4 and more.
TYPED_TEST(Gram, StaysAccurateOverManyRows) {
  using T = TypeParam;
  const double tolerance = sizeof(T) == sizeof(float) ? 1e-7 : 2e-15;
  for (Index k : {1, 2, 5}) {
    const auto f = random_dense<T>(300000, k, 7);
    const auto g = gram(f);
    for (Index a = 0; a < k; ++a) {
      for (Index b = 0; b < k; ++b) {
        long double sum = 0;
        for (Index i = 0; i < f.rows(); ++i) sum += static_cast<long double>(f(i, a)) * f(i, b);
        EXPECT_NEAR(g(a, b), static_cast<double>(sum), tolerance * static_cast<double>(sum));
      }
    }
  }
}

TYPED_TEST(Gram, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  for (Index k : {2, 9}) {
    const auto f = random_dense<T>(40000, k, 8), other = random_dense<T>(40000, k, 9);
    Matrix<double> one;
    double one_dot = 0;
    with_threads(1, nullptr, [&] { one = gram(f), one_dot = dot(f, other); });
    for (int threads : {2, 3, 8}) {
      with_threads(threads, nullptr, [&] {
        EXPECT_EQ(gram(f), one);
        EXPECT_EQ(dot(f, other), one_dot);
      });
    }
  }
}

TYPED_TEST(Gram, DotAndSquaredNormAddUpProductsOfEntries) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (Index rows : {0, 1, 3, 16, 257, 20011}) {
      const auto a = random_integer_dense<T>(rows, 3, 10), b = random_integer_dense<T>(rows, 3, 11);
      double products = 0, squares = 0;
      for (std::size_t e = 0; e < a.values().size(); ++e) {
        products += static_cast<double>(a.values()[e]) * static_cast<double>(b.values()[e]);
        squares += static_cast<double>(a.values()[e]) * static_cast<double>(a.values()[e]);
      }
      EXPECT_EQ(dot(a, b), products);
      EXPECT_EQ(squared_norm<T>(a.values()), squares);
    }
  });
}

// Powers of two are exact, and squares of 1e200 or 1e-200 are not numbers.
TEST(SquaredNormOver, ReachesWhereSquaresDoNot) {
  std::vector<double> values;
  for (int i = 0; i < 40000; ++i) values.push_back(1 + i % 7);
  const double expected = squared_norm(std::span<const double>(values));
  for (const int exponent : {-1000, -700, -3, 0, 5, 700, 1000}) {
    std::vector<double> scaled = values;
    for (double& value : scaled) value = std::ldexp(value, exponent);
    EXPECT_DOUBLE_EQ(squared_norm_over(std::span<const double>(scaled), exponent), expected) << exponent;
  }
  const std::vector<float> tiny(10, std::ldexp(1.0F, -140));
  EXPECT_EQ(squared_norm_over(std::span<const float>(tiny), -140), 10);
}

}  // namespace
}  // namespace copse
