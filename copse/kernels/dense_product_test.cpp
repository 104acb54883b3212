#include "copse/kernels/dense_product.h"

#include <gtest/gtest.h>

#include <tuple>

#include "copse/base/parallel.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::for_each_instruction_set;
using testing::random_integer_dense;

template <class T>
class DenseProduct : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DenseProduct, Types);

template <class T>
Matrix<T> naive_product(const StridedView<T>& a, const Matrix<T>& b) {
  Matrix<T> out(a.rows, b.cols());
  for (Index i = 0; i < a.rows; ++i) {
    for (Index p = 0; p < b.rows(); ++p) {
      for (Index c = 0; c < b.cols(); ++c) out(i, c) += a.values[i * a.row_step + p * a.column_step] * b(p, c);
    }
  }
  return out;
}

// Integers, so that no order of sums rounds. Sizes on both sides of every block; A by rows and by columns.
TYPED_TEST(DenseProduct, EqualsTheNaiveProductExactly) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (Index rows : {0, 1, 5, 239, 241, 500}) {
      for (Index inner : {0, 1, 31, 33, 300, 1100}) {
        for (Index k : {0, 1, 8, 17, 40}) {
          const auto a = random_integer_dense<T>(rows, inner, 7), by_columns = random_integer_dense<T>(inner, rows, 9);
          const auto b = random_integer_dense<T>(inner, k, 8);
          Matrix<T> out;
          const StridedView<T> as_rows{a.data(), rows, inner, 1};
          times(as_rows, b, out);
          ASSERT_EQ(out, naive_product(as_rows, b)) << rows << " x " << inner << ", k = " << k << ", by rows";
          const StridedView<T> as_columns{by_columns.data(), rows, 1, rows};
          times(as_columns, b, out);
          ASSERT_EQ(out, naive_product(as_columns, b)) << rows << " x " << inner << ", k = " << k << ", by columns";
        }
      }
    }
  });
}

// The pieces whose products are added up are as many for any number of threads, and few where each is large.
TYPED_TEST(DenseProduct, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  for (const auto& [rows, inner, k] : {std::tuple<Index, Index, Index>{300, 9000, 7}, {30000, 1200, 90}}) {
    const auto stored = testing::random_dense<T>(inner, rows, 3), b = testing::random_dense<T>(inner, k, 4);
    const StridedView<T> a{stored.data(), rows, 1, rows};
    Matrix<T> expected, out;
    with_threads(1, nullptr, [&] { times(a, b, expected); });
    with_threads(3, nullptr, [&] { times(a, b, out); });
    EXPECT_EQ(out, expected);
  }
}

}  // namespace
}  // namespace copse
