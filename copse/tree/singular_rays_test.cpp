#include "copse/tree/singular_rays.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "copse/base/random.h"
#include "tests/support/nodes.h"

namespace copse {
namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Items in rows: sums of `rank` random nonnegative topics, and a little noise.
Matrix<double> mixture(Index items, Index terms, Index rank, double noise, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> topics(rank, terms), x(items, terms);
  for (double& value : topics.values()) value = random.uniform() < 0.5 ? random.uniform() : 0;
  for (Index j = 0; j < items; ++j) {
    for (Index t = 0; t < rank; ++t) {
      const double share = random.uniform();
      for (Index i = 0; i < terms; ++i) x(j, i) += share * share * topics(t, i);
    }
    for (Index i = 0; i < terms; ++i) x(j, i) += noise * random.uniform();
  }
  return x;
}

std::unique_ptr<NodeData<double>> node_of(const Matrix<double>& x) {
  const auto all = tree_data<double>(x);
  return all->cut(testing::all_items(*all));
}

// Two sums of items with positive weights.
Matrix<double> sums_of_items(const Matrix<double>& x, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> space(x.cols(), 2);
  for (Index j = 0; j < x.rows(); ++j) {
    for (Index c = 0; c < 2; ++c) {
      const double weight = random.uniform();
      for (Index i = 0; i < x.cols(); ++i) space(i, c) += weight * x(j, i);
    }
  }
  return space;
}

Eigen::BDCSVD<Dense> svd_of(const Matrix<double>& x) {
  const Dense dense = Eigen::Map<const Dense>(x.data(), x.rows(), x.cols());
  return Eigen::BDCSVD<Dense>(dense, Eigen::ComputeThinU | Eigen::ComputeThinV);
}

TEST(SingularRays, LieInThePlaneOfTheLeadingVectorsWithAFewItemsBeyond) {
  const auto x = mixture(400, 50, 3, 0, 3);
  const auto svd = svd_of(x);
  const auto w = singular_rays(*node_of(x), sums_of_items(x, 4));
  // Where nothing was cut off at zero, a column is u1 + t u2 up to its length.
  std::array<double, 2> tangents{};
  const Eigen::VectorXd u1 = svd.matrixV().col(0) * (svd.matrixV().col(0).sum() < 0 ? -1 : 1),
                        u2 = svd.matrixV().col(1);
  for (int c = 0; c < 2; ++c) {
    Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
    Eigen::Vector2d right = Eigen::Vector2d::Zero();
    const auto positive = [&](Index i) { return w(i, c) > 0.02; };
    for (Index i = 0; i < w.rows(); ++i) {
      const Eigen::Vector2d row(u1(i), u2(i));
      if (positive(i)) normal += row * row.transpose(), right += row * w(i, c);
    }
    const Eigen::Vector2d found = normal.ldlt().solve(right);
    for (Index i = 0; i < w.rows(); ++i) {
      EXPECT_GE(w(i, c), 0);
      if (!positive(i)) continue;
      EXPECT_NEAR(w(i, c), found(0) * u1(i) + found(1) * u2(i), 1e-9);
    }
    EXPECT_NEAR(found.norm(), 1, 1e-9);
    tangents[c] = found(1) / found(0);
  }
  if (tangents[0] > tangents[1]) std::swap(tangents[0], tangents[1]);
  std::vector<double> items;
  for (Index j = 0; j < x.rows(); ++j) {
    const Eigen::Map<const Eigen::VectorXd> item(x.row(j).data(), x.cols());
    items.push_back(item.dot(u2) / item.dot(u1));
  }
  std::ranges::sort(items);
  EXPECT_NEAR(tangents[0], items[19], 1e-9);  // 5 % of 399
  EXPECT_NEAR(tangents[1], items[380], 1e-9);
}

// No feature that occurs is quite zero in either column.
TEST(SingularRays, ReachEveryFeature) {
  Matrix<double> x(20, 10);
  for (Index j = 0; j < 20; ++j) x(j, j < 10 ? j % 5 : 5 + j % 5) = 1;
  const auto w = singular_rays(*node_of(x), sums_of_items(x, 5));
  for (const double value : w.values()) EXPECT_GT(value, 0);
}

// Less than eight dimensions: what is left of the vectors is rounding, and counts as nothing.
TEST(SingularRays, OfRankOneAreTheOneDirection) {
  Matrix<float> x(30, 12);
  for (Index j = 0; j < 30; ++j) {
    for (Index i = 0; i < 12; ++i) x(j, i) = static_cast<float>((1 + j % 4) * (i % 5));
  }
  const auto all = tree_data<float>(x);
  const auto node = all->cut(testing::all_items(*all));
  Matrix<float> space(12, 2);
  for (Index j = 0; j < 30; ++j) {
    for (Index i = 0; i < 12; ++i) space(i, j % 2) += x(j, i);
  }
  const auto w = singular_rays(*node, space);
  double square = 0;
  for (Index i = 0; i < 12; ++i) square += static_cast<double>((i % 5) * (i % 5));
  for (Index i = 0; i < 12; ++i) {
    for (Index c = 0; c < 2; ++c) EXPECT_NEAR(w(i, c), static_cast<double>(i % 5) / std::sqrt(square), 1e-3);
  }
}

}  // namespace
}  // namespace copse
