#include "copse/kernels/top.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/random_matrices.h"

namespace copse {
namespace {

template <class T>
std::vector<Index> naive_top(const Matrix<T>& f, Index column, Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(f.rows()));
  std::iota(rows.begin(), rows.end(), Index(0));
  std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return f(a, column) > f(b, column); });
  rows.resize(static_cast<std::size_t>(std::min(count, f.rows())));
  return rows;
}

// Entries 0 ... 9: nearly all are tied.
TEST(TopEntries, AreThoseOfAStableSort) {
  for (Index rows : {0, 1, 7, 1000, 40000}) {
    const auto f = testing::random_integer_dense<float>(rows, 3, 4);
    for (Index count : {0, 1, 5, 20, 2000}) {
      const auto top = top_entries(f, count);
      ASSERT_EQ(top.size(), 3u);
      for (Index c = 0; c < 3; ++c)
        EXPECT_EQ(top[static_cast<std::size_t>(c)], naive_top(f, c, count)) << rows << " rows, " << count;
    }
  }
}

TEST(TopEntries, OrderDistinctValues) {
  const auto f = testing::random_dense<double>(30000, 2, 5);
  EXPECT_EQ(top_entries(f, 50)[1], naive_top(f, 1, 50));
}

TEST(TopEntries, OfNoColumnsAreNone) { EXPECT_TRUE(top_entries(Matrix<float>(5, 0), 3).empty()); }

}  // namespace
}  // namespace copse
