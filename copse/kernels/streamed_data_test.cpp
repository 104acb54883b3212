#include "copse/kernels/streamed_data.h"

#include <gtest/gtest.h>

#include <numeric>

#include "copse/base/parallel.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/scatter.h"
#include "tests/support/blocked.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::OddBlocks;
namespace naive = testing::naive;

struct StreamedShape {
  Index m, n;
  double density;
};
const StreamedShape shapes[] = {{1, 1, 1}, {5, 0, 0.5}, {7, 3, 0}, {64, 33, 0.2}, {300, 517, 0.05}, {3, 200, 0.9}};

template <class T>
class Streamed : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Streamed, Types);

// Integer entries: sums are exact in any order.
TYPED_TEST(Streamed, ScattersWhatTheDefinitionSays) {
  for (const StreamedShape& shape : shapes) {
    for (const Index k : {1, 2, 3, 8, 17, 40, 129}) {
      const auto x = testing::random_integer_sparse<TypeParam>(shape.m, shape.n, shape.density, 3);
      const auto h = testing::random_integer_dense<TypeParam>(shape.n, k, 5);
      ScatteredProduct<TypeParam> sum(shape.m, k);
      sum.add(x, h);
      sum.add(x, h);
      const auto expected = naive::times(testing::to_dense(x), h);
      for (Index i = 0; i < shape.m; ++i) {
        for (Index c = 0; c < k; ++c) ASSERT_EQ(sum.row(i)[c], 2 * expected(i, c));
      }
    }
  }
}

TYPED_TEST(Streamed, MultipliesAsTheMatrixInMemory) {
  for (const StreamedShape& shape : shapes) {
    for (const Index k : {1, 2, 5, 20}) {
      const auto x = testing::random_integer_sparse<TypeParam>(shape.m, shape.n, shape.density, 3);
      const OddBlocks<TypeParam> blocks(x);
      const StreamedData<TypeParam> data(blocks);
      const auto dense = testing::to_dense(x);
      const auto h = testing::random_integer_dense<TypeParam>(shape.n, k, 5);
      const auto w = testing::random_integer_dense<TypeParam>(shape.m, k, 6);
      Matrix<TypeParam> out;
      data.times(h, out);
      EXPECT_EQ(out, naive::times(dense, h));
      data.transpose_times(w, out);
      EXPECT_EQ(out, naive::transpose_times(dense, w));
      EXPECT_EQ(data.squared_norm(), SparseData<TypeParam>(x).squared_norm());
      EXPECT_EQ(data.squared_norm_over(2), data.squared_norm() / 16);
    }
  }
}

// H = X'W + 1 in the update.
TYPED_TEST(Streamed, ReadsOnceForBothProducts) {
  for (const StreamedShape& shape : shapes) {
    const Index k = 3;
    const auto x = testing::random_integer_sparse<TypeParam>(shape.m, shape.n, shape.density, 3);
    const OddBlocks<TypeParam> blocks(x);
    const StreamedData<TypeParam> data(blocks);
    const auto w = testing::random_integer_dense<TypeParam>(shape.m, k, 6);
    const auto dense = testing::to_dense(x);
    Matrix<TypeParam> expected_h = naive::transpose_times(dense, w);
    for (TypeParam& value : expected_h.values()) value += 1;
    const auto run = [&](const Data<TypeParam>& on) {
      std::vector<int> seen(static_cast<std::size_t>(shape.n), 0);
      Matrix<TypeParam> found(shape.n, k), out;
      on.read_once(
          w,
          [&](Index first, const Matrix<TypeParam>& product, Matrix<TypeParam>& h) {
            ASSERT_EQ(product.rows(), h.rows());
            for (Index j = 0; j < h.rows(); ++j) ++seen[first + j];
            for (std::size_t e = 0; e < h.values().size(); ++e) h.values()[e] = product.values()[e] + 1;
            std::ranges::copy(h.values(), found.data() + first * k);
          },
          out);
      EXPECT_EQ(found, expected_h);
      EXPECT_EQ(out, naive::times(dense, expected_h));
      EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
    };
    run(data);
    // A block at the border of two stretches is read for both.
    EXPECT_LE(blocks.reads(), blocks.blocks() + streamed_parts<TypeParam>(shape.m, k, blocks.blocks()) - 1);
    run(SparseData<TypeParam>(x));
    run(testing::SlowData<TypeParam>(dense));
  }
}

TEST(StreamedData, HasTheSameBitsForAnyNumberOfThreads) {
  const auto sparse = testing::random_integer_sparse<float>(500, 3000, 0.03, 1);
  auto x = sparse;
  for (std::size_t e = 0; e < x.values.size(); ++e) x.values[e] = 1.0F / (x.values[e] + static_cast<float>(e % 13));
  const OddBlocks<float> blocks(x);
  const StreamedData<float> data(blocks);
  const auto w = testing::random_dense<float>(500, 9, 2);
  std::vector<Matrix<float>> found;
  for (const int threads : {1, 4, 9}) {
    with_threads(threads, nullptr, [&] {
      Matrix<float> out;
      data.read_once(
          w, [](Index, const Matrix<float>& product, Matrix<float>& h) { h = product; }, out);
      found.push_back(std::move(out));
    });
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(StreamedData, CopiesTheItemsThatAreAskedFor) {
  const auto x = testing::random_integer_sparse<double>(60, 400, 0.1, 1);
  const OddBlocks<double> blocks(x);
  const StreamedData<double> data(blocks);
  const SparseData<double> memory{SparseView<double>(x)};
  for (const std::vector<Index>& items :
       {std::vector<Index>{}, {0}, {399}, {1, 2, 3, 4}, {3, 17, 18, 200, 201, 398, 399}}) {
    const auto w = testing::random_integer_dense<double>(60, 4, 2);
    const Sample<double> a = data.select(items), b = memory.select(items);
    ASSERT_EQ(a.features, b.features);
    Matrix<double> rows(static_cast<Index>(a.features.size()), 4), from_a, from_b;
    for (Index i = 0; i < rows.rows(); ++i) std::ranges::copy(w.row(a.features[i]), rows.row(i).begin());
    a.data->transpose_times(rows, from_a);
    b.data->transpose_times(rows, from_b);
    EXPECT_EQ(from_a, from_b);
  }
}

TEST(StreamedData, ShowsEveryEntryOnce) {
  const auto x = testing::random_integer_sparse<double>(40, 300, 0.1, 1);
  const OddBlocks<double> blocks(x);
  std::vector<std::vector<std::pair<RowIndex, double>>> seen(300);
  StreamedData<double>(blocks).visit_blocks([&](Index first, const SparseView<double>& block) {
    for (Index j = 0; j < block.cols; ++j) {
      for (Index e = block.offsets[j]; e < block.offsets[j + 1]; ++e)
        seen[first + j].emplace_back(block.indices[e], block.values[e]);
    }
  });
  for (Index j = 0; j < 300; ++j) {
    std::vector<std::pair<RowIndex, double>> expected;
    for (Index e = x.offsets[j]; e < x.offsets[j + 1]; ++e) expected.emplace_back(x.indices[e], x.values[e]);
    ASSERT_EQ(seen[j], expected);
  }
}

}  // namespace
}  // namespace copse
