// Merging against the singular values of the pairs.
#include "copse/nmf/merge.h"

#include <gmock/gmock.h>

#include <Eigen/SVD>

#include "copse/kernels/in_memory.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_dense;

Eigen::MatrixXd to_eigen(const Matrix<double>& x) {
  Eigen::MatrixXd out(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) out(i, j) = x(i, j);
  }
  return out;
}

TEST(Merge, ReplacesThePairNearestToRankOneByItsBestApproximation) {
  const Matrix<double> items = random_dense<double>(9, 12, 1);
  const DenseData<double> x(items);
  Factors<double> factors{random_dense<double>(12, 4, 2), random_dense<double>(9, 4, 3)};
  const Eigen::MatrixXd w = to_eigen(factors.w);
  const Eigen::MatrixXd h = to_eigen(factors.h);
  double least = std::numeric_limits<double>::infinity();
  Eigen::MatrixXd expected;
  for (Index p = 0; p < 4; ++p) {
    for (Index q = p + 1; q < 4; ++q) {
      const Eigen::MatrixXd pair = w.col(p) * h.col(p).transpose() + w.col(q) * h.col(q).transpose();
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(pair, Eigen::ComputeThinU | Eigen::ComputeThinV);
      if (svd.singularValues()(1) >= least) continue;
      least = svd.singularValues()(1);
      expected =
          w * h.transpose() - pair + svd.singularValues()(0) * svd.matrixU().col(0) * svd.matrixV().col(0).transpose();
    }
  }
  merge_components(x, factors, 4, 3);
  ASSERT_EQ(factors.w.cols(), 3);
  ASSERT_EQ(factors.h.cols(), 3);
  EXPECT_LT((to_eigen(factors.w) * to_eigen(factors.h).transpose() - expected).norm(), 1e-12 * expected.norm());
  EXPECT_THAT(factors.w.values(), ::testing::Each(::testing::Ge(0)));
  EXPECT_THAT(factors.h.values(), ::testing::Each(::testing::Ge(0)));
}

TEST(Merge, LosesNothingWhereComponentsAreCopiesAndLeavesTheLastColumnAlone) {
  const Matrix<double> items = random_dense<double>(9, 12, 1);
  const DenseData<double> x(items);
  Factors<double> factors{random_dense<double>(12, 6, 2), random_dense<double>(9, 6, 3)};
  for (Index i = 0; i < 12; ++i) {
    factors.w(i, 3) = 2 * factors.w(i, 0);
    factors.w(i, 4) = 0;
  }
  const Eigen::MatrixXd before = to_eigen(factors.w) * to_eigen(factors.h).transpose();
  const Matrix<double> w = factors.w;
  merge_components(x, factors, 5, 3);
  ASSERT_EQ(factors.w.cols(), 4);
  EXPECT_LT((to_eigen(factors.w) * to_eigen(factors.h).transpose() - before).norm(), 1e-10 * before.norm());
  for (Index i = 0; i < 12; ++i) EXPECT_EQ(factors.w(i, 3), w(i, 5));
}

}  // namespace
}  // namespace copse
