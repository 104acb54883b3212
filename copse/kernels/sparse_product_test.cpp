#include "copse/kernels/sparse_product.h"

#include <gtest/gtest.h>

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
using testing::random_integer_sparse;
using testing::to_dense;
using testing::to_sparse;

struct SparseShape {
  Index rows, cols;
  double density;
};

template <class T>
class SparseProduct : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SparseProduct, Types);

TYPED_TEST(SparseProduct, EqualsTheNaiveProductExactly) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (auto [rows, cols, density] :
         {SparseShape{0, 3, 0}, SparseShape{3, 0, 0}, SparseShape{1, 1, 1}, SparseShape{7, 5, 0},
          SparseShape{64, 33, 0.2}, SparseShape{41, 100, 0.03}, SparseShape{300, 5, 1}}) {
      const auto x = random_integer_sparse<T>(rows, cols, density, 7);
      const auto dense = to_dense(x);
      for (Index k = 0; k <= 70; ++k) {
        const auto w = random_integer_dense<T>(rows, k, 8);
        Matrix<T> out = random_dense<T>(3, 3, 1);  // what was there before does not matter
        transpose_times<T>(x, w, out);
        ASSERT_EQ(out, testing::naive::transpose_times(dense, w)) << rows << " x " << cols << ", k = " << k;
        transpose_times<T>(x, w, out, Sums::by_column);
        ASSERT_EQ(out, testing::naive::transpose_times(dense, w)) << "by column, k = " << k;
      }
    }
  });
}

// Long, short and empty columns in every order, so that block borders fall within and between them.
TYPED_TEST(SparseProduct, EqualsTheNaiveProductWhereColumnsSpanManyBlocks) {
  using T = TypeParam;
  const Index rows = 70000;
  const std::vector<Index> lengths{0, 70000, 0, 3, 8192, 16384, 16385, 1, 70000, 65536, 0, 20000, 9, 30000, 0, 0};
  SparseMatrix<T> x{.rows = rows, .cols = static_cast<Index>(lengths.size())};
  for (Index length : lengths) {
    for (Index i = 0; i < length; ++i) {
      x.indices.push_back(static_cast<RowIndex>(i));
      x.values.push_back(static_cast<T>(1 + i % 3));
    }
    x.offsets.push_back(x.nonzeros());
  }
  const auto dense = to_dense(x);
  for (Index k : {1, 2, 5}) {
    const auto w = random_integer_dense<T>(rows, k, 9);
    Matrix<T> out;
    transpose_times<T>(x, w, out);
    EXPECT_EQ(out, testing::naive::transpose_times(dense, w)) << "k = " << k;
  }
}

TYPED_TEST(SparseProduct, ByColumnHasTheBitsThatEachColumnHasAlone) {
  using T = TypeParam;
  for_each_instruction_set([] {
    const auto pattern = random_integer_sparse<T>(90, 40, 0.4, 3);
    SparseMatrix<T> x = pattern;
    for (std::size_t e = 0; e < x.values.size(); ++e) x.values[e] /= static_cast<T>(3 + e % 7);
    for (const Index k : {1, 2, 3, 5, 8, 16, 35, 48, 130}) {
      const auto w = random_dense<T>(x.rows, k, 8);
      Matrix<T> together, column(x.rows, 1), alone;
      transpose_times<T>(x, w, together, Sums::by_column);
      for (Index c = 0; c < k; ++c) {
        for (Index i = 0; i < x.rows; ++i) column(i, 0) = w(i, c);
        transpose_times<T>(x, column, alone, Sums::by_column);
        for (Index j = 0; j < x.cols; ++j) ASSERT_EQ(together(j, c), alone(j, 0)) << "k = " << k << ", column " << c;
      }
    }
  });
}

// At k = 2 the last vector of a column reads the rows of the next one too.
TYPED_TEST(SparseProduct, LeavesOutTheRowsOfOtherColumns) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (Index length = 0; length <= 20; ++length) {
      SparseMatrix<T> x{.rows = 40, .cols = 2};
      for (Index j = 0; j < 2; ++j) {
        for (Index i = 0; i < length; ++i) {
          x.indices.push_back(static_cast<RowIndex>(20 * j + i));
          x.values.push_back(T(1));
        }
        x.offsets.push_back(x.nonzeros());
      }
      Matrix<T> w(40, 2), out;
      for (Index i = 0; i < 20; ++i) {
        w(i, 0) = T(1), w(i, 1) = T(i);
        w(20 + i, 0) = w(20 + i, 1) = std::numeric_limits<T>::infinity();
      }
      transpose_times<T>(x, w, out);
      EXPECT_EQ(out(0, 0), T(length));
      EXPECT_EQ(out(0, 1), T(length * (length - 1) / 2));
    }
  });
}

// A run of neighbouring columns keeps the arrays of the whole matrix.
TYPED_TEST(SparseProduct, ReadsARangeOfColumnsInPlace) {
  using T = TypeParam;
  const auto x = random_integer_sparse<T>(50, 40, 0.3, 4);
  const auto w = random_integer_dense<T>(50, 6, 5);
  SparseView<T> range = x;
  range.cols = 10;
  range.offsets = range.offsets.subspan(20, 11);
  Matrix<T> all, part;
  transpose_times<T>(x, w, all);
  transpose_times<T>(range, w, part);
  for (Index j = 0; j < 10; ++j) {
    for (Index c = 0; c < 6; ++c) EXPECT_EQ(part(j, c), all(20 + j, c));
  }
}

TYPED_TEST(SparseProduct, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const auto x = transpose<T>(random_integer_sparse<T>(60, 6000, 0.5, 2));
  for (Index k : {1, 2, 7, 40}) {
    const auto w = random_dense<T>(x.rows, k, 3);
    Matrix<T> one;
    with_threads(1, nullptr, [&] { transpose_times<T>(x, w, one); });
    for (int threads : {2, 3, 8}) {
      Matrix<T> many;
      with_threads(threads, nullptr, [&] { transpose_times<T>(x, w, many); });
      EXPECT_EQ(one, many) << threads << " threads, k = " << k;
    }
  }
}

}  // namespace
}  // namespace copse
