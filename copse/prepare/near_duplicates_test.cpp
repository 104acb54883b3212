#include "copse/prepare/near_duplicates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

// 300 items of 40 random features out of 2000, of which every fifth from 100 on is an earlier one with a few changes.
Matrix<double> with_copies(Index changes) {
  Matrix<double> items(300, 2000);
  Random random(5);
  for (Index j = 0; j < items.rows(); ++j) {
    if (j >= 100 && j % 5 == 0) {
      std::ranges::copy(items.row(random.below(100)), items.row(j).begin());
      for (Index c = 0; c < changes; ++c) items(j, random.below(2000)) = 1;
    } else {
      for (int c = 0; c < 40; ++c) items(j, random.below(2000)) = 1 + static_cast<double>(random.below(3));
    }
  }
  return items;
}

double cosine(const Matrix<double>& items, Index a, Index b) {
  double ab = 0, aa = 0, bb = 0;
  for (Index i = 0; i < items.cols(); ++i) {
    ab += items(a, i) * items(b, i), aa += items(a, i) * items(a, i), bb += items(b, i) * items(b, i);
  }
  return ab / std::sqrt(aa * bb);
}

std::vector<Dataset<double>> sparse_and_dense(const Matrix<double>& items) {
  Dataset<double> sparse, dense;
  sparse.values = testing::to_sparse(testing::naive::transposed(items));
  dense.values = items;
  return {sparse, dense};
}

TEST(NearDuplicates, AreThoseThatComparingAllPairsFinds) {
  for (const Index changes : {0, 1, 3}) {
    const Matrix<double> items = with_copies(changes);
    std::vector<Index> expected;
    for (Index j = 0; j < items.rows(); ++j) {
      for (Index earlier = 0; earlier < j; ++earlier) {
        if (cosine(items, earlier, j) < 0.95) continue;
        expected.push_back(j);
        break;
      }
    }
    ASSERT_EQ(expected.size(), 40u);
    for (const auto& data : sparse_and_dense(items)) EXPECT_EQ(near_duplicates(data), expected);
  }
}

TEST(NearDuplicates, EmptyItemsAreNone) {
  Dataset<double> data;
  data.values = Matrix<double>(5, 3);
  EXPECT_TRUE(near_duplicates(data).empty());
}

TEST(NearDuplicates, ThreadsDoNotMatter) {
  const auto data = sparse_and_dense(with_copies(2)).front();
  const auto expected = near_duplicates(data);
  for (const int threads : {1, 3}) with_threads(threads, nullptr, [&] { EXPECT_EQ(near_duplicates(data), expected); });
}

TEST(NearDuplicates, RefuseWhatCannotBe) {
  Dataset<double> data;
  EXPECT_THROW(near_duplicates(data, {.cosine = 0}), InvalidArgument);
  EXPECT_THROW(near_duplicates(data, {.bands = 0}), InvalidArgument);
}

}  // namespace
}  // namespace copse
