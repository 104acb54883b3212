#include "copse/kernels/sliced_transpose.h"

#include <gtest/gtest.h>

#include <vector>

#include "copse/base/parallel.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;
using testing::random_integer_dense;
using testing::random_integer_sparse;

template <class T>
class SlicedTransposeOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SlicedTransposeOf, Types);

// Rows with many entries and with few in every order, some empty and some alike; empty items too. Where there are
// enough rows, none has more than a 16th of the entries, so that they are cut.
template <class T>
SparseMatrix<T> uneven_rows(Index rows, Index items) {
  SparseMatrix<T> x{.rows = rows, .cols = items};
  for (Index j = 0; j < items; ++j) {
    for (Index i = 0; i < rows; ++i) {
      const Index step = i * 7 % rows / 10 + 1;  // row i is in every step-th item
      if (step % 5 == 3 || j % 11 == 4 || j % step != 0) continue;
      x.indices.push_back(static_cast<RowIndex>(i));
      x.values.push_back(static_cast<T>(1 + (i + j) % 3));
    }
    x.offsets.push_back(x.nonzeros());
  }
  return x;
}

template <class T>
void expect_naive_product(SparseView<T> x, const Matrix<T>& dense, const SliceOptions& options) {
  const SlicedTranspose<T> slices(x, options);
  for (Index k : {0, 1, 2, 3, 8, 17}) {
    const auto h = random_integer_dense<T>(x.cols, k, 4);
    auto out = random_dense<T>(2, 2, 5);  // what was there before does not matter
    slices.times(h, out);
    ASSERT_EQ(out, testing::naive::times(dense, h)) << x.rows << " x " << x.cols << ", k = " << k;
  }
}

constexpr SliceOptions small_cuts{.least_entries = 1,
                                  .items_per_slice = 50,
                                  .entries_per_slice = 2,
                                  .bands = 8,
                                  .items_per_piece = 4,
                                  .entries_per_piece = 3};

struct SlicedShape {
  Index rows, cols;
  double density;
};

TYPED_TEST(SlicedTransposeOf, TimesEqualsTheNaiveProductExactly) {
  using T = TypeParam;
  testing::for_each_instruction_set([] {
    for (const SliceOptions& options :
         {SliceOptions{}, small_cuts, SliceOptions{0, 1000, 1, 1, 1, 1}, SliceOptions{1, 1, 1, 1000, 64, 8}}) {
      for (auto [rows, cols] : {std::pair<Index, Index>{90, 200}, {3, 1000}, {700, 30}, {200, 1}, {1, 300}}) {
        const auto x = uneven_rows<T>(rows, cols);
        expect_naive_product<T>(x, testing::to_dense(x), options);
      }
      for (auto [rows, cols, density] : {SlicedShape{0, 3, 0}, SlicedShape{3, 0, 0}, SlicedShape{5, 4, 0},
                                         SlicedShape{1, 1, 1}, SlicedShape{60, 70, 0.5}}) {
        const auto x = random_integer_sparse<T>(rows, cols, density, 3);
        expect_naive_product<T>(x, testing::to_dense(x), options);
      }
    }
  });
}

// Large enough to be cut as it is, by several threads.
TYPED_TEST(SlicedTransposeOf, TimesEqualsTheNaiveProductOfALargeMatrix) {
  using T = TypeParam;
  const auto x = random_integer_sparse<T>(40, 150000, 0.75, 3);
  ASSERT_GT(x.nonzeros(), SliceOptions{}.least_entries);
  const auto h = random_integer_dense<T>(x.cols, 2, 4);
  Matrix<T> out;
  SlicedTranspose<T>(SparseView<T>(x)).times(h, out);
  EXPECT_EQ(out, testing::naive::times(testing::to_dense(x), h));
}

// A band numbers its rows with 16 bits.
TYPED_TEST(SlicedTransposeOf, TimesEqualsTheNaiveProductWithMoreRowsThanABandTakes) {
  using T = TypeParam;
  SparseMatrix<T> x{.rows = 70000, .cols = 2};
  for (Index j = 0; j < 2; ++j) {
    for (Index i = j; i < x.rows; i += 1 + j) {
      x.indices.push_back(static_cast<RowIndex>(i));
      x.values.push_back(static_cast<T>(1 + i % 5));
    }
    x.offsets.push_back(x.nonzeros());
  }
  expect_naive_product<T>(x, testing::to_dense(x), {1, 65536, 8, 1, 4, 3});
}

// A run of neighbouring items keeps the arrays of the whole matrix.
TYPED_TEST(SlicedTransposeOf, TakesARunOfItems) {
  using T = TypeParam;
  const auto x = uneven_rows<T>(40, 900);
  std::vector<Index> items;
  for (Index j = 100; j < 800; ++j) items.push_back(j);
  SparseView<T> run = x;
  run.cols = 700;
  run.offsets = run.offsets.subspan(100, 701);
  expect_naive_product<T>(run, testing::to_dense(select_columns<T>(x, items)), small_cuts);
}

TYPED_TEST(SlicedTransposeOf, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const auto x = uneven_rows<T>(90, 6000);
  for (Index k : {1, 2, 7}) {
    const auto h = random_dense<T>(x.cols, k, 3);
    const auto product = [&](int threads) {
      Matrix<T> out;
      with_threads(threads, nullptr, [&] { SlicedTranspose<T>(SparseView<T>(x), small_cuts).times(h, out); });
      return out;
    };
    const auto one = product(1);
    for (int threads : {2, 3, 8}) EXPECT_EQ(one, product(threads)) << threads << " threads, k = " << k;
  }
}

}  // namespace
}  // namespace copse
