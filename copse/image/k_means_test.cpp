#include "copse/image/k_means.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"

namespace copse {
namespace {

Matrix<float> blobs(Index count, Index clusters, std::uint64_t seed) {
  Random random(seed);
  Matrix<float> rows(count, 3);
  for (Index i = 0; i < count; ++i) {
    for (Index c = 0; c < 3; ++c)
      rows(i, c) = static_cast<float>(10.0 * static_cast<double>((i % clusters) * (c + 1) % 7) + random.normal());
  }
  return rows;
}

TEST(KMeans, FindsBlobsThatLieApart) {
  const Matrix<float> rows = blobs(2000, 5, 1);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<Index> labels = k_means(rows, {.clusters = 5, .seed = seed});
    for (Index i = 0; i < 2000; ++i) EXPECT_EQ(labels[i], labels[i % 5]);
    EXPECT_EQ(std::set<Index>(labels.begin(), labels.end()).size(), 5U);
    EXPECT_EQ(labels[0], 0);
  }
}

TEST(KMeans, EveryRowIsNearestToTheMeanOfItsCluster) {
  const Matrix<float> rows = blobs(500, 7, 3);
  const std::vector<Index> labels = k_means(rows, {.clusters = 12, .max_iterations = 1000});
  const Index used = *std::max_element(labels.begin(), labels.end()) + 1;
  Matrix<double> mean(used, 3);
  std::vector<double> size(static_cast<std::size_t>(used), 0);
  for (Index i = 0; i < 500; ++i) {
    size[labels[i]] += 1;
    for (Index c = 0; c < 3; ++c) mean(labels[i], c) += static_cast<double>(rows(i, c));
  }
  const auto distance = [&](Index i, Index k) {
    double sum = 0;
    for (Index c = 0; c < 3; ++c) {
      const double d = static_cast<double>(rows(i, c)) - mean(k, c) / size[k];
      sum += d * d;
    }
    return sum;
  };
  for (Index i = 0; i < 500; ++i) {
    for (Index k = 0; k < used; ++k) EXPECT_LE(distance(i, labels[i]), distance(i, k) + 1e-9);
  }
}

TEST(KMeans, FewerDifferentRowsThanClusters) {
  Matrix<float> rows(6, 1);
  for (Index i = 0; i < 6; ++i) rows(i, 0) = static_cast<float>(i % 2);
  EXPECT_EQ(k_means(rows, {.clusters = 4}), (std::vector<Index>{0, 1, 0, 1, 0, 1}));
  EXPECT_TRUE(k_means(Matrix<float>(0, 2), {.clusters = 3}).empty());
  EXPECT_THROW(k_means(rows, {.clusters = 0}), InvalidArgument);
}

TEST(KMeans, ThreadsDoNotMatter) {
  const Matrix<float> rows = blobs(5000, 9, 4);
  std::vector<Index> one, two;
  with_threads(1, nullptr, [&] { one = k_means(rows, {.clusters = 20}); });
  with_threads(2, nullptr, [&] { two = k_means(rows, {.clusters = 20}); });
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace copse
