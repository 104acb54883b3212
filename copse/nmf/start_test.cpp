// Singular triplets by their definition; NNDSVD by its algebra.
#include "copse/nmf/start.h"

#include <gmock/gmock.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "copse/base/random.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/sample_start.h"
#include "copse/nmf/singular.h"
#include "tests/support/naive.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

namespace naive = testing::naive;
using testing::random_dense;
using testing::random_integer_sparse;

Eigen::MatrixXd start_to_eigen(const Matrix<double>& x) {
  Eigen::MatrixXd out(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) out(i, j) = x(i, j);
  }
  return out;
}

TEST(SingularTriplets, AreThoseOfX) {
  const auto sparse = random_integer_sparse<double>(70, 50, 0.3, 1);
  const Eigen::MatrixXd x = start_to_eigen(testing::to_dense(sparse));
  const auto triplets = leading_singular_triplets(SparseData<double>(sparse), 5, 3);
  const Eigen::VectorXd weights = Eigen::JacobiSVD<Eigen::MatrixXd>(x).singularValues();
  const Eigen::MatrixXd u = start_to_eigen(triplets.u);
  const Eigen::MatrixXd v = start_to_eigen(triplets.v);
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
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(start_to_eigen(x), Eigen::ComputeThinU | Eigen::ComputeThinV);
  for (Index c = 0; c < 4; ++c) {
    const Eigen::VectorXd u = svd.matrixU().col(c);
    const Eigen::VectorXd v = svd.matrixV().col(c);
    const auto part = [&](double sign) {
      return Eigen::MatrixXd(svd.singularValues()(c) * (sign * u).cwiseMax(0.0) * (sign * v).cwiseMax(0.0).transpose());
    };
    const Eigen::MatrixXd expected = part(1).norm() >= part(-1).norm() ? part(1) : part(-1);
    const Eigen::MatrixXd found = start_to_eigen(start.w).col(c) * start_to_eigen(start.h).col(c).transpose();
    EXPECT_LT((found - expected).norm(), 0.02 * expected.norm()) << c;
  }
}

TEST(Nndsvd, FillsItsZerosWithTheMeanOrLess) {
  const auto sparse = random_integer_sparse<double>(40, 30, 0.2, 5);
  const SparseData<double> data(sparse);
  // Of X / 2^E in W, of X in H.
  double mean = 0;
  for (const double value : sparse.values) mean += value / (40 * 30);
  const double in_w = std::ldexp(mean, -std::ilogb(std::sqrt(data.squared_norm())));
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
        EXPECT_NEAR(means.w(i, c), in_w, 1e-12);
        EXPECT_GE(randoms.w(i, c), 0);
        EXPECT_LE(randoms.w(i, c), in_w / 100);
      }
    }
  }
  EXPECT_GT(filled, 20);
  for (Index j = 0; j < 30; ++j) {
    for (Index c = 0; c < 4; ++c) {
      if (zeros.h(j, c) == 0) {
        EXPECT_NEAR(means.h(j, c), mean, 1e-12);
        EXPECT_LE(randoms.h(j, c), mean / 100);
      }
    }
  }
}

TEST(RandomStart, HasTheNormOfXAndDependsOnTheSeed) {
  const auto sparse = random_integer_sparse<double>(40, 30, 0.2, 5);
  const SparseData<double> data(sparse);
  const auto start = random_start(data, 3, 1);
  const double square = (start_to_eigen(start.w) * start_to_eigen(start.h).transpose()).squaredNorm();
  EXPECT_NEAR(square, data.squared_norm(), 1e-9 * square);
  EXPECT_EQ(random_start(data, 3, 1).w, start.w);
  EXPECT_NE(random_start(data, 3, 2).w, start.w);
  // W and H draw from streams of their own.
  EXPECT_FALSE(std::ranges::equal(start.w.row(0), start.h.row(0)));
}

// Twelve clusters of items with features of their own: one component for each is the only good fit.
SparseMatrix<double> separate_clusters(Index clusters, Index items_each) {
  Matrix<double> x(clusters * 5, clusters * items_each);
  Random random(3);
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < 5; ++i) x(j / items_each * 5 + i, j) = 0.5 + random.uniform();
  }
  return testing::to_sparse(x);
}

TEST(SampleStart, GivesEveryClusterItsComponent) {
  const auto sparse = separate_clusters(12, 200);
  const SparseData<double> data(sparse);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const auto start = sample_start(data, {.rank = 12}, seed);
    EXPECT_EQ(start.h, Matrix<double>(2400, 12));
    std::vector<int> owners(12, 0);
    for (Index c = 0; c < 12; ++c) {
      Index largest = 0;
      for (Index i = 0; i < 60; ++i) largest = start.w(i, c) > start.w(largest, c) ? i : largest;
      ++owners[static_cast<std::size_t>(largest / 5)];
    }
    EXPECT_THAT(owners, ::testing::Each(1)) << "seed " << seed;
  }
}

TEST(SampleStart, IsRandomWhereItemsAreFew) {
  const auto sparse = random_integer_sparse<double>(40, 30, 0.2, 5);
  const SparseData<double> data(sparse);
  EXPECT_EQ(sample_start(data, {.rank = 8}, 3).w, random_start(data, 8, 3).w);
  EXPECT_NE(sample_start(data, {.rank = 4}, 3).w, random_start(data, 4, 3).w);
}

TEST(SampleStart, KeepsTheOnesBesideH) {
  const auto sparse = separate_clusters(3, 50);
  const auto start = sample_start(SparseData<double>(sparse), {.rank = 3, .affine = true}, 1);
  ASSERT_EQ(start.w.cols(), 4);
  ASSERT_EQ(start.h.cols(), 4);
  for (Index j = 0; j < 150; ++j) EXPECT_EQ(start.h(j, 3), 1);
}

TEST(Select, CopiesItems) {
  const auto sparse = random_integer_sparse<double>(7, 9, 0.5, 5);
  const Matrix<double> x = testing::to_dense(sparse);
  const Matrix<double> items = naive::transposed(x);
  const std::vector<Index> chosen = {1, 4, 8};
  const SparseData<double> sparse_data(sparse);
  const DenseData<double> dense_data(items);
  for (const Data<double>* data :
       {static_cast<const Data<double>*>(&sparse_data), static_cast<const Data<double>*>(&dense_data)}) {
    Matrix<double> out;
    const Sample<double> sample = select_items<double>(*data, chosen);
    const auto features = static_cast<Index>(sample.features.size());
    ASSERT_EQ(sample.data->rows(), features);
    Matrix<double> unit(features, features);
    for (Index i = 0; i < features; ++i) unit(i, i) = 1;
    sample.data->transpose_times(unit, out);
    ASSERT_EQ(out.rows(), 3);
    for (Index j = 0; j < 3; ++j) {
      std::vector<double> item(7, 0.0);
      for (Index i = 0; i < features; ++i) item[static_cast<std::size_t>(sample.features[i])] = out(j, i);
      for (Index i = 0; i < 7; ++i)
        EXPECT_EQ(item[static_cast<std::size_t>(i)], x(i, chosen[static_cast<std::size_t>(j)]));
    }
  }
}

}  // namespace
}  // namespace copse
