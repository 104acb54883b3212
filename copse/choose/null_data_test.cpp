#include "copse/choose/null_data.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

Dataset<double> random_dense(Index items, Index features, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> x(items, features);
  for (double& value : x.values()) value = std::abs(random.normal()) + 5;  // far from zero: no feature moves up
  return {.values = std::move(x)};
}

Dataset<double> random_sparse(Index items, Index features, double share, std::uint64_t seed) {
  Random random(seed);
  SparseMatrix<double> x{.rows = features, .cols = items};
  for (Index j = 0; j < items; ++j) {
    const double own = share * (j % 5 == 0 ? 3 : 0.5);
    for (Index i = 0; i < features && j != 2; ++i) {
      if (random.uniform() > own) continue;
      x.indices.push_back(static_cast<RowIndex>(i));
      x.values.push_back(1 + random.uniform());
    }
    x.offsets.push_back(static_cast<Index>(x.values.size()));
  }
  return {.values = std::move(x)};
}

Eigen::MatrixXd items_of(const Dataset<double>& data) {
  Eigen::MatrixXd items = Eigen::MatrixXd::Zero(data.items(), data.features());
  for (Index j = 0; j < data.items(); ++j) visit_nonzeros(data, j, [&](Index i, double value) { items(j, i) = value; });
  return items;
}

// Algorithm 3 by its letter: the items of the null, in the principal components of the data, fill the box of the data.
TEST(BoxNull, FillsTheBoxOfThePrincipalComponents) {
  for (const auto& [n, m] : {std::pair<Index, Index>{12, 40}, {60, 7}}) {
    const Dataset<double> data = random_dense(n, m, 3);
    const Eigen::MatrixXd items = items_of(data);
    const Eigen::RowVectorXd mean = items.colwise().mean();
    const Eigen::MatrixXd centred = items.rowwise() - mean;
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(centred, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Index rank = std::min(n - 1, m);
    const Eigen::MatrixXd axes = svd.matrixV().leftCols(rank), box = centred * axes;
    const auto null = null_data(data, Null::box);
    double lowest = 1, highest = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Eigen::MatrixXd drawn = items_of(null->draw(seed));
      ASSERT_EQ(drawn.rows(), n);
      const Eigen::MatrixXd moved = drawn.rowwise() - mean, z = moved * axes;
      EXPECT_LT((moved - z * axes.transpose()).norm(), 1e-9 * moved.norm());  // nothing beside the axes
      for (Index r = 0; r < rank; ++r) {
        const double low = box.col(r).minCoeff(), width = box.col(r).maxCoeff() - low;
        for (Index j = 0; j < n; ++j) {
          const double place = (z(j, r) - low) / width;
          EXPECT_GE(place, -1e-9);
          EXPECT_LE(place, 1 + 1e-9);
          lowest = std::min(lowest, place);
          highest = std::max(highest, place);
        }
      }
    }
    EXPECT_LT(lowest, 0.01);
    EXPECT_GT(highest, 0.99);
  }
}

TEST(BoxNull, IsNonnegativeAndMovesOnlyFeaturesThatNeedIt) {
  Random random(5);
  Matrix<double> x(30, 6);
  for (Index j = 0; j < 30; ++j) {
    for (Index i = 0; i < 6; ++i) x(j, i) = std::exp(2 * random.normal()) + (i == 0 ? 100 : 0);
  }
  const Dataset<double> data{.values = std::move(x)};
  const auto null = null_data(data, Null::box);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Eigen::MatrixXd drawn = items_of(null->draw(seed));
    EXPECT_GE(drawn.minCoeff(), 0);
    EXPECT_GT(drawn.col(0).minCoeff(), 0);
    EXPECT_EQ(drawn.rightCols(5).colwise().minCoeff().minCoeff(), 0);
  }
}

TEST(BoxNull, OfConstantDataIsThatData) {
  Matrix<double> x(5, 3);
  for (double& value : x.values()) value = 2;
  const Dataset<double> data{.values = std::move(x)};
  EXPECT_LT((items_of(null_data(data, Null::box)->draw(1)) - items_of(data)).norm(), 1e-12);
}

TEST(ShuffledNull, KeepsTheEntriesOfFeaturesAndTheNormsOfItems) {
  for (const double share : {0.05, 0.6, 1.0}) {
    const Dataset<double> data = random_sparse(50, 30, share, 7);
    const Eigen::MatrixXd items = items_of(data), drawn = items_of(null_data(data, Null::shuffled)->draw(3));
    for (Index i = 0; i < 30; ++i) {
      EXPECT_EQ((items.col(i).array() > 0).count(), (drawn.col(i).array() > 0).count());
    }
    for (Index j = 0; j < 50; ++j) {
      if (drawn.row(j).norm() > 0) {
        EXPECT_NEAR(drawn.row(j).norm(), items.row(j).norm(), 1e-9);
      }
    }
    EXPECT_EQ(drawn.row(2).norm(), 0);  // an empty item stays empty
    EXPECT_GT((items - drawn).norm(), 0.1 * items.norm());
  }
}

// Two groups of items with words of their own: after shuffling, words of both meet in an item.
TEST(ShuffledNull, LosesWhatFeaturesHaveInCommon) {
  SparseMatrix<double> x{.rows = 40, .cols = 200};
  Random random(1);
  for (Index j = 0; j < 200; ++j) {
    for (Index i = 0; i < 20; ++i) {
      if (random.uniform() > 0.4) continue;
      x.indices.push_back(static_cast<RowIndex>(i + (j % 2) * 20));
      x.values.push_back(1);
    }
    x.offsets.push_back(static_cast<Index>(x.values.size()));
  }
  const Eigen::MatrixXd drawn = items_of(null_data<double>({.values = std::move(x)}, Null::shuffled)->draw(1));
  const Eigen::VectorXd first = drawn.leftCols(20).rowwise().sum(), second = drawn.rightCols(20).rowwise().sum();
  EXPECT_LT(((first.array() > 0) != (second.array() > 0)).count(), 10);
}

TEST(NullData, HasTheSameBitsForAnyNumberOfThreads) {
  const Dataset<double> dense = random_dense(70, 20, 1), sparse = random_sparse(70, 40, 0.2, 2);
  for (const auto* data : {&dense, &sparse}) {
    for (const Null kind : {Null::box, Null::shuffled}) {
      Eigen::MatrixXd one, many;
      with_threads(1, nullptr, [&] { one = items_of(null_data(*data, kind)->draw(9)); });
      with_threads(4, nullptr, [&] { many = items_of(null_data(*data, kind)->draw(9)); });
      EXPECT_EQ(one, many);
    }
  }
}

TEST(NullData, NeedsData) { EXPECT_THROW(null_data<double>({}, Null::automatic), InvalidArgument); }

}  // namespace
}  // namespace copse
