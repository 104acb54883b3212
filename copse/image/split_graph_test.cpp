#include "copse/image/split_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "copse/base/random.h"

namespace copse {
namespace {

TEST(Contracted, AddsUpWhatJoinsTheGroups) {
  // Columns of a triangle with weights 0-1: 2, 1-2: 3, 0-2: 5, already scaled by degrees 4, 9, 16.
  const std::vector<double> degrees = {4, 9, 16};
  SparseMatrix<float> a{.rows = 3, .cols = 3};
  a.offsets = {0, 2, 4, 6};
  a.indices = {1, 2, 0, 2, 0, 1};
  a.values = {2.0F / 6, 5.0F / 8, 2.0F / 6, 3.0F / 12, 5.0F / 8, 3.0F / 12};
  const Matrix<double> w = contracted(SparseView<float>(a), degrees, {0, 0, 1}, 2);
  EXPECT_NEAR(w(0, 0), 4, 1e-6);
  EXPECT_NEAR(w(0, 1), 8, 1e-6);
  EXPECT_NEAR(w(1, 0), 8, 1e-6);
  EXPECT_NEAR(w(1, 1), 0, 1e-6);
}

// Three blocks, two of them nearer to each other.
Matrix<double> blocks() {
  Matrix<double> w(9, 9);
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j < 9; ++j) w(i, j) = i / 3 == j / 3 ? 10 : i / 3 + j / 3 == 3 ? 1 : 0.01;
  }
  return w;
}

TEST(NestedSplits, CutTheWeakestFirstAndStayNested) {
  const auto partitions = nested_splits(blocks());
  ASSERT_EQ(partitions.size(), 8U);
  EXPECT_EQ(partitions[0], (std::vector<Index>{0, 0, 0, 1, 1, 1, 1, 1, 1}));
  for (Index i = 0; i < 9; ++i) EXPECT_EQ(partitions[1][i] == partitions[1][0], i < 3);
  EXPECT_NE(partitions[1][3], partitions[1][6]);
  EXPECT_EQ(partitions[1][3], partitions[1][5]);
  for (std::size_t level = 0; level < partitions.size(); ++level) {
    EXPECT_EQ(std::set<Index>(partitions[level].begin(), partitions[level].end()).size(), level + 2);
    if (level == 0) continue;
    for (Index i = 0; i < 9; ++i) {
      for (Index j = 0; j < 9; ++j) {
        if (partitions[level][i] == partitions[level][j]) {
          EXPECT_EQ(partitions[level - 1][i], partitions[level - 1][j]);
        }
      }
    }
  }
}

// Over all ways to part the nodes in two.
double least_cut(const Matrix<double>& w) {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned side = 1; side + 1 < (1U << w.rows()); ++side) {
    double cut = 0, one = 0, other = 0;
    for (Index i = 0; i < w.rows(); ++i) {
      for (Index j = 0; j < w.cols(); ++j) {
        const bool a = (side >> i & 1) != 0, b = (side >> j & 1) != 0;
        (a ? one : other) += w(i, j);
        if (a && !b) cut += w(i, j);
      }
    }
    least = std::min(least, cut / one + cut / other);
  }
  return least;
}

TEST(NestedSplits, TheFirstIsNearTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Matrix<double> w(8, 8);
    for (Index i = 0; i < 8; ++i) {
      for (Index j = 0; j <= i; ++j) w(i, j) = w(j, i) = (i / 4 == j / 4 ? 3 : 0.3) * random.uniform();
    }
    const std::vector<Index> first = nested_splits(w)[0];
    double cut = 0, one = 0, other = 0;
    for (Index i = 0; i < 8; ++i) {
      for (Index j = 0; j < 8; ++j) {
        (first[i] == 0 ? one : other) += w(i, j);
        if (first[i] == 0 && first[j] == 1) cut += w(i, j);
      }
    }
    EXPECT_LE(cut / one + cut / other, 1.2 * least_cut(w)) << "seed " << seed;
  }
}

TEST(NestedSplits, LoosePartsAndSingleNodes) {
  EXPECT_TRUE(nested_splits(Matrix<double>(1, 1)).empty());
  const auto loose = nested_splits(Matrix<double>(3, 3));
  ASSERT_EQ(loose.size(), 2U);
  EXPECT_EQ(std::set<Index>(loose[1].begin(), loose[1].end()).size(), 3U);
}

}  // namespace
}  // namespace copse
