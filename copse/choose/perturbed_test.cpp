#include "copse/choose/perturbed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "copse/base/parallel.h"

namespace copse {
namespace {

// Some entries are zero.
Dataset<double> numbers(Index items, Index features) {
  Matrix<double> values(items, features);
  for (Index j = 0; j < items; ++j) {
    for (Index i = 0; i < features; ++i) values(j, i) = static_cast<double>((3 * j + i) % 5) / 3;
  }
  return {.values = std::move(values)};
}

// 1 + e of every entry that is not zero.
std::vector<double> factors(const Dataset<double>& before, const Dataset<double>& after) {
  const auto &from = std::get<Matrix<double>>(before.values), &to = std::get<Matrix<double>>(after.values);
  std::vector<double> all;
  for (Index j = 0; j < from.rows(); ++j) {
    for (Index i = 0; i < from.cols(); ++i) {
      if (from(j, i) == 0) {
        EXPECT_EQ(to(j, i), 0);
      } else {
        all.push_back(to(j, i) / from(j, i));
      }
    }
  }
  return all;
}

TEST(Perturbed, MultipliesEachEntryByItsOwnUniformFactor) {
  const Dataset<double> data = numbers(101, 60);
  std::vector<double> all = factors(data, perturbed(data, 0.03, 5));
  ASSERT_EQ(all.size(), 4848u);
  const auto n = static_cast<double>(all.size());
  double mean = 0, square = 0;
  for (const double factor : all) {
    EXPECT_LE(std::abs(factor - 1), 0.03 + 1e-12);
    mean += (factor - 1) / n;
    square += (factor - 1) * (factor - 1) / n;
  }
  EXPECT_NEAR(mean, 0, 4 * 0.03 / std::sqrt(3 * n));
  EXPECT_NEAR(square, 0.03 * 0.03 / 3, 0.05 * 0.03 * 0.03 / 3);
  std::set<long> different;
  for (const double factor : all) different.insert(std::lround(factor * 1e12));
  EXPECT_EQ(different.size(), all.size());
}

TEST(Perturbed, DependsOnSeedPlaceAndFeatureOnly) {
  const Dataset<double> data = numbers(40, 30), more = numbers(70, 45);
  EXPECT_EQ(perturbed(data, 0.015, 1).values, perturbed(data, 0.015, 1).values);
  EXPECT_NE(perturbed(data, 0.015, 1).values, perturbed(data, 0.015, 2).values);
  Dataset<double> one, many;
  with_threads(1, nullptr, [&] { one = perturbed(more, 0.015, 1); });
  with_threads(4, nullptr, [&] { many = perturbed(more, 0.015, 1); });
  EXPECT_EQ(one.values, many.values);
  // The entry at a place has the same factor in a larger matrix, and in a sparse one without its zeros.
  const Dataset<double> part = perturbed(data, 0.015, 1);
  const auto &small = std::get<Matrix<double>>(part.values), &large = std::get<Matrix<double>>(one.values);
  SparseMatrix<double> sparse{.rows = 30, .cols = 40};
  for (Index j = 0; j < 40; ++j) {
    visit_nonzeros(data, j, [&](Index i, double value) {
      sparse.indices.push_back(static_cast<RowIndex>(i));
      sparse.values.push_back(value);
    });
    sparse.offsets.push_back(static_cast<Index>(sparse.values.size()));
  }
  const Dataset<double> noisy = perturbed(Dataset<double>{.values = sparse}, 0.015, 1);
  EXPECT_EQ(std::get<SparseMatrix<double>>(noisy.values).indices, sparse.indices);
  EXPECT_EQ(std::get<SparseMatrix<double>>(noisy.values).offsets, sparse.offsets);
  for (Index j = 0; j < 40; ++j) {
    visit_nonzeros(noisy, j, [&](Index i, double value) { EXPECT_EQ(value, small(j, i)); });
    for (Index i = 0; i < 30; ++i) EXPECT_EQ(small(j, i), large(j, i));
  }
}

}  // namespace
}  // namespace copse
