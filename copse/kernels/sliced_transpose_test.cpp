#include "copse/kernels/sliced_transpose.h"

#include <gtest/gtest.h>

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

// 140,000 items are three slices.
TYPED_TEST(SlicedTransposeOf, TimesEqualsTheNaiveProductExactly) {
  using T = TypeParam;
  for (Index items : {0, 5, 65536, 65537, 140000}) {
    const auto x = random_integer_sparse<T>(6, items, 0.2, 3);
    const auto dense = testing::to_dense(x);
    testing::for_each_instruction_set([&] {
      const SlicedTranspose<T> slices{SparseView<T>(x)};
      for (Index k : {1, 2, 3, 8, 17}) {
        const auto h = random_integer_dense<T>(items, k, 4);
        auto out = random_dense<T>(2, 2, 5);  // what was there before does not matter
        slices.times(h, out);
        ASSERT_EQ(out, testing::naive::times(dense, h)) << items << " items, k = " << k;
      }
    });
  }
}

// Fewer than 8 entries per row and slice: not worth cutting. The outcome is the same.
TYPED_TEST(SlicedTransposeOf, TimesEqualsTheNaiveProductWithFewEntries) {
  using T = TypeParam;
  const auto x = random_integer_sparse<T>(4, 140000, 1e-4, 3);
  const auto h = random_integer_dense<T>(140000, 2, 4);
  Matrix<T> out;
  SlicedTranspose<T>(SparseView<T>(x)).times(h, out);
  EXPECT_EQ(out, testing::naive::times(testing::to_dense(x), h));
}

TYPED_TEST(SlicedTransposeOf, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const auto x = random_integer_sparse<T>(5, 140000, 0.3, 2);
  for (Index k : {1, 2, 7}) {
    const auto h = random_dense<T>(x.cols, k, 3);
    const auto product = [&](int threads) {
      Matrix<T> out;
      with_threads(threads, nullptr, [&] { SlicedTranspose<T>(SparseView<T>(x)).times(h, out); });
      return out;
    };
    const auto one = product(1);
    for (int threads : {2, 3, 8}) EXPECT_EQ(one, product(threads)) << threads << " threads, k = " << k;
  }
}

}  // namespace
}  // namespace copse
