#include "copse/measure/silhouette.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "copse/base/error.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

// Straight from the definition.
double naive(const Matrix<double>& rows, const std::vector<Index>& labels, bool cosine) {
  const auto distance = [&](Index a, Index b) {
    double product = 0, x = 0, y = 0, square = 0;
    for (Index i = 0; i < rows.cols(); ++i) {
      product += rows(a, i) * rows(b, i);
      x += rows(a, i) * rows(a, i);
      y += rows(b, i) * rows(b, i);
      square += (rows(a, i) - rows(b, i)) * (rows(a, i) - rows(b, i));
    }
    return !cosine ? square : x > 0 && y > 0 ? 1 - product / std::sqrt(x * y) : 1;
  };
  double total = 0, counted = 0;
  for (Index j = 0; j < rows.rows(); ++j) {
    if (labels[j] < 0) continue;
    counted += 1;
    double a = 0, others = 0, b = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < 9; ++c) {
      double sum = 0, count = 0;
      for (Index l = 0; l < rows.rows(); ++l) {
        if (labels[l] != c || l == j) continue;
        sum += distance(j, l);
        count += 1;
      }
      if (c == labels[j]) a = sum, others = count;
      if (c != labels[j] && count > 0) b = std::min(b, sum / count);
    }
    if (others > 0 && std::isfinite(b)) total += (b - a / others) / std::max(b, a / others);
  }
  return total / counted;
}

TEST(Silhouette, IsThatOfTheDefinition) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto sparse = testing::random_integer_sparse<double>(6, 30, 0.4, seed);
    const Matrix<double> by_features = testing::to_dense(sparse);
    Matrix<double> rows(30, 6);
    std::vector<Index> labels;
    for (Index j = 0; j < 30; ++j) {
      labels.push_back(j == 4 ? 5 : j % 7 == 6 ? -1 : j % 4);  // 4 is empty, 5 has one item
      for (Index i = 0; i < 6; ++i) rows(j, i) = by_features(i, j);
    }
    Dataset<double> data;
    data.values = sparse;
    EXPECT_NEAR(mean_silhouette<double>(data, labels), naive(rows, labels, true), 1e-12);
    data.values = rows;
    EXPECT_NEAR(mean_silhouette<double>(data, labels), naive(rows, labels, false), 1e-12);
    EXPECT_EQ(mean_silhouette<double>(data, std::vector<Index>(30, 2)), 0);
    EXPECT_EQ(mean_silhouette<double>(data, std::vector<Index>(30, -1)), 0);
    EXPECT_THROW(mean_silhouette<double>(data, std::vector<Index>(29, 0)), InvalidArgument);
  }
}

}  // namespace
}  // namespace copse
