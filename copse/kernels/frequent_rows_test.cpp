#include "copse/kernels/frequent_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "copse/base/parallel.h"
#include "copse/kernels/sparse_product.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

template <class T>
class FrequentRowsOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FrequentRowsOf, Types);

struct Shape {
  Index rows, cols;
  double density;
};

TYPED_TEST(FrequentRowsOf, TransposeTimesHasTheBitsOfTheProductAsItIs) {
  using T = TypeParam;
  for (auto [rows, cols, density] : {Shape{0, 3, 0}, Shape{3, 0, 0}, Shape{1, 1, 1}, Shape{50, 1, 0.5},
                                     Shape{300, 70, 0.3}, Shape{40000, 30, 0.5}}) {
    const auto x = testing::random_integer_sparse<T>(rows, cols, density, 7);
    std::vector<RowIndex> order(static_cast<std::size_t>(rows));
    for (Index i = 0; i < rows; ++i) order[i] = static_cast<RowIndex>((i * 7 + 3) % rows);
    const FrequentRows<T> renumbered(x, order);
    for (Index k : {0, 1, 2, 3, 4}) {
      const auto w = testing::random_dense<T>(rows, k, 8);
      Matrix<T> expected, out;
      transpose_times<T>(x, w, expected);
      for (int threads : {1, 2, 3, 8}) {
        with_threads(threads, nullptr, [&] { renumbered.transpose_times(x, w, out); });
        ASSERT_EQ(out, expected) << rows << " x " << cols << ", k = " << k << ", " << threads << " threads";
      }
    }
  }
}

// A run of neighbouring items keeps the arrays of the whole matrix.
TYPED_TEST(FrequentRowsOf, TakesARunOfItems) {
  using T = TypeParam;
  const auto x = testing::random_integer_sparse<T>(50, 40, 0.3, 4);
  const auto w = testing::random_dense<T>(50, 2, 5);
  std::vector<RowIndex> order(50);
  std::iota(order.rbegin(), order.rend(), 0);
  SparseView<T> run = x;
  run.cols = 10;
  run.offsets = run.offsets.subspan(20, 11);
  Matrix<T> expected, out;
  transpose_times<T>(run, w, expected);
  FrequentRows<T>(run, order).transpose_times(run, w, out);
  EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace copse
