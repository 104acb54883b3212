// Singular triplets by their definition; NNDSVD by its algebra.
#include "copse/nmf/start.h"

#include <gmock/gmock.h>

#include <Eigen/SVD>
#include <cmath>

#include "copse/kernels/in_memory.h"
#include "copse/nmf/singular.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

namespace naive = testing::naive;
using testing::random_dense;
using testing::random_integer_sparse;

Eigen::MatrixXd to_eigen(const Matrix<double>& x) {
  Eigen::MatrixXd out(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) out(i, j) = x(i, j);
  }
  return out;
}

TEST(SingularTriplets, AreThoseOfX) {
  const auto sparse = random_integer_sparse<double>(70, 50, 0.3, 1);
  const Eigen::MatrixXd x = to_eigen(testing::to_dense(sparse));
  const auto triplets = leading_singular_triplets(SparseData<double>(sparse), 5, 3);
  const Eigen::VectorXd weights = Eigen::JacobiSVD<Eigen::MatrixXd>(x).singularValues();
  const Eigen::MatrixXd u = to_eigen(triplets.u);
  const Eigen::MatrixXd v = to_eigen(triplets.v);
  EXPECT_LT((u.transpose() * u - Eigen::MatrixXd::Identity(5, 5)).norm(), 1e-10);
  EXPECT_LT((v.transpose() * v - Eigen::MatrixXd::Identity(5, 5)).norm(), 1e-10);
  // The gap behind the 15th value sets the accuracy of a power iteration.
  for (Index c = 0; c < 5; ++c) EXPECT_NEAR(triplets.weights[c], weights(c), 1e-3 * weights(c));
  EXPECT_LT((x * v.col(0) - triplets.weights[0] * u.col(0)).norm(), 1e-6 * weights(0));
}

TEST(SingularTriplets, AreZeroBeyondTheRank) {
  const Matrix<double> a = random_dense<double>(30, 2, 1);
  const Matrix<double> b = random_dense<double>(20, 2, 2);
  const Matrix<double> items = naive::transpose_times(naive::transposed(b), naive::transposed(a));
  const auto triplets = leading_singular_triplets(DenseData<double>(items), 4, 3);
  EXPECT_GT(triplets.weights[1], 0);
  for (Index c = 2; c < 4; ++c) {
    EXPECT_EQ(triplets.weights[c], 0);
    for (Index i = 0; i < 30; ++i) EXPECT_EQ(triplets.u(i, c), 0);
    for (Index j = 0; j < 20; ++j) EXPECT_EQ(triplets.v(j, c), 0);
  }
}

// The first component is the best rank-1 approximation; every other one is s |u+||v+| (u+/|u+|)(v+/|v+|)' or the same
// of the negative parts, whichever is larger.
TEST(Nndsvd, KeepsTheLargerPartOfEachTriplet) {
  const Matrix<double> x = random_dense<double>(25, 18, 5);
  const Matrix<double> items = naive::transposed(x);
  const DenseData<double> data(items);
  const auto start = singular_start(data, 4, Start::nndsvd, 1);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(to_eigen(x), Eigen::ComputeThinU | Eigen::ComputeThinV);
  for (Index c = 0; c < 4; ++c) {
    const Eigen::VectorXd u = svd.matrixU().col(c);
    const Eigen::VectorXd v = svd.matrixV().col(c);
    const auto part = [&](double sign) {
      return Eigen::MatrixXd(svd.singularValues()(c) * (sign * u).cwiseMax(0.0) * (sign * v).cwiseMax(0.0).transpose());
    };
    const Eigen::MatrixXd expected = part(1).norm() >= part(-1).norm() ? part(1) : part(-1);
    const Eigen::MatrixXd found = to_eigen(start.w).col(c) * to_eigen(start.h).col(c).transpose();
    EXPECT_LT((found - expected).norm(), 0.02 * expected.norm()) << c;
  }
}

TEST(Nndsvd, FillsItsZerosWithTheMeanOrLess) {
  const auto sparse = random_integer_sparse<double>(40, 30, 0.2, 5);
  const SparseData<double> data(sparse);
  double mean = 0;
  for (const double value : sparse.values) mean += value / (40 * 30);
  const auto zeros = singular_start(data, 4, Start::nndsvd, 1);
  const auto means = singular_start(data, 4, Start::nndsvda, 1);
  const auto randoms = singular_start(data, 4, Start::nndsvdar, 1);
  Index filled = 0;
  for (Index i = 0; i < 40; ++i) {
    for (Index c = 0; c < 4; ++c) {
      if (zeros.w(i, c) > 0) {
        EXPECT_EQ(means.w(i, c), zeros.w(i, c));
        EXPECT_EQ(randoms.w(i, c), zeros.w(i, c));
      } else {
        ++filled;
        EXPECT_NEAR(means.w(i, c), mean, 1e-12);
        EXPECT_GE(randoms.w(i, c), 0);
        EXPECT_LE(randoms.w(i, c), mean / 100);
      }
    }
  }
  EXPECT_GT(filled, 20);
}

TEST(RandomStart, HasTheNormOfXAndDependsOnTheSeed) {
  const auto sparse = random_integer_sparse<double>(40, 30, 0.2, 5);
  const SparseData<double> data(sparse);
  const auto start = random_start(data, 3, 1);
  const double square = (to_eigen(start.w) * to_eigen(start.h).transpose()).squaredNorm();
  EXPECT_NEAR(square, data.squared_norm(), 1e-9 * square);
  EXPECT_EQ(random_start(data, 3, 1).w, start.w);
  EXPECT_NE(random_start(data, 3, 2).w, start.w);
}

}  // namespace
}  // namespace copse
