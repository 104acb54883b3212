#include "copse/kernels/in_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <numeric>
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

struct MemoryShape {
  Index rows, cols;
};

template <class T>
class InMemory : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(InMemory, Types);

TYPED_TEST(InMemory, SparseAndDenseDataEqualTheNaiveProductsExactly) {
  using T = TypeParam;
  for_each_instruction_set([] {
    for (auto [rows, cols] : {MemoryShape{0, 3}, MemoryShape{3, 0}, MemoryShape{1, 1}, MemoryShape{17, 5},
                              MemoryShape{64, 33}, MemoryShape{30, 300}, MemoryShape{2050, 3}, MemoryShape{3, 2051}}) {
      const auto x = random_integer_dense<T>(rows, cols, 1);
      const auto items = testing::naive::transposed(x);
      const auto sparse = testing::to_sparse(x);
      const SparseData<T> sparse_data(sparse);
      const DenseData<T> dense_data(items);
      for (Index k : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40, 48, 49, 70}) {
        const auto w = random_integer_dense<T>(rows, k, 2), h = random_integer_dense<T>(cols, k, 3);
        for (const Data<T>* data :
             {static_cast<const Data<T>*>(&sparse_data), static_cast<const Data<T>*>(&dense_data)}) {
          Matrix<T> out;
          data->times(h, out);
          ASSERT_EQ(out, testing::naive::times(x, h)) << rows << " x " << cols << ", k = " << k;
          data->transpose_times(w, out);
          ASSERT_EQ(out, testing::naive::transpose_times(x, w)) << rows << " x " << cols << ", k = " << k;
        }
      }
      double squares = 0;
      for (T value : x.values()) squares += static_cast<double>(value) * static_cast<double>(value);
      EXPECT_EQ(sparse_data.squared_norm(), squares);
      EXPECT_EQ(dense_data.squared_norm(), squares);
    }
  });
}

TYPED_TEST(InMemory, DenseProductsHaveTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const auto items = random_dense<T>(700, 300, 4);
  const DenseData<T> data(items);
  const auto w = random_dense<T>(300, 11, 5), h = random_dense<T>(700, 11, 6);
  Matrix<T> times, transpose_times, out;
  with_threads(1, nullptr, [&] { data.times(h, times), data.transpose_times(w, transpose_times); });
  for (int threads : {2, 3, 8}) {
    with_threads(threads, nullptr, [&] {
      data.times(h, out);
      EXPECT_EQ(out, times);
      data.transpose_times(w, out);
      EXPECT_EQ(out, transpose_times);
    });
  }
}

// Large enough for copies: X' is cut, and a narrow W is read in the order of its frequent rows.
TYPED_TEST(InMemory, LargeSparseDataEqualsTheNaiveProductsWithAnyNumberOfThreads) {
  using T = TypeParam;
  const auto x = testing::random_integer_sparse<T>(40, 150000, 0.75, 7);
  const auto dense = testing::to_dense(x);
  const SparseData<T> viewed(x);
  std::vector<Index> items(static_cast<std::size_t>(x.cols));
  std::iota(items.begin(), items.end(), Index{0});
  const Sample<T> owned = viewed.select(items);
  for (Index k : {2, 5}) {
    const auto w = random_integer_dense<T>(x.rows, k, 2), h = random_integer_dense<T>(x.cols, k, 3);
    const auto xtw = testing::naive::transpose_times(dense, w), xh = testing::naive::times(dense, h);
    for (const Data<T>* data : {static_cast<const Data<T>*>(&viewed), static_cast<const Data<T>*>(owned.data.get())}) {
      for (int threads : {1, 2, 3, 8}) {
        with_threads(threads, nullptr, [&] {
          Matrix<T> out;
          data->transpose_times(w, out);
          EXPECT_EQ(out, xtw) << "k = " << k;
          data->times(h, out);
          EXPECT_EQ(out, xh) << "k = " << k;
          data->transpose_times(w, out);
          EXPECT_EQ(out, xtw) << "k = " << k;
        });
      }
    }
  }
}

// The first call makes a copy of the data by parallel loops. A thread that waits for one of them must not take up
// another task of the outer loop, which would wait for the copy and so for itself.
TEST(SparseData, ManyTasksMayAskForTheFirstProduct) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    alarm(60);  // ends a process that hangs
    const auto x = testing::random_integer_sparse<float>(300, 4000, 0.05, 1);
    const auto h = random_dense<float>(4000, 2, 2);
    with_threads(8, nullptr, [&] {
      for (int turn = 0; turn < 200; ++turn) {
        const SparseData<float> data(x);
        parallel_for(64, [&](Index) {
          Matrix<float> product;
          data.times(h, product);
        });
      }
    });
    std::exit(0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace copse
