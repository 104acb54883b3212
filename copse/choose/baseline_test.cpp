#include "copse/choose/baseline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/generate/corpus.h"
#include "copse/generate/gene_expression.h"

namespace copse {
namespace {

// All of the items.
template <class T>
double share_of(const Dataset<T>& data) {
  std::vector<Index> items(static_cast<std::size_t>(data.items()));
  std::iota(items.begin(), items.end(), Index(0));
  return baseline_share<T>(data, items);
}

Matrix<double> random_items(Index items, Index features, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> x(items, features);
  for (double& value : x.values()) value = 1 + random.uniform();
  return x;
}

// By sorting, entry by entry.
double naive_share(const Matrix<double>& x) {
  double left = 0, all = 0;
  for (Index i = 0; i < x.cols(); ++i) {
    std::vector<double> values;
    for (Index j = 0; j < x.rows(); ++j) values.push_back(x(j, i));
    std::ranges::sort(values);
    const double base = values[values.size() / 10];
    for (const double value : values) {
      all += value * value;
      left += (value - base) * (value - base);
    }
  }
  return 1 - left / all;
}

TEST(BaselineShare, IsWhatAConstantForEachFeatureExplains) {
  for (const Index items : {1, 2, 9, 10, 11, 57}) {
    for (const Index features : {1, 15, 16, 17, 40}) {
      const auto x = random_items(items, features, static_cast<std::uint64_t>(items));
      EXPECT_NEAR(share_of(Dataset<double>{.values = x}), naive_share(x), 1e-12) << items << " x " << features;
    }
  }
}

TEST(BaselineShare, IsAllOfEqualItemsAndNothingOfZeros) {
  Matrix<float> equal(7, 3);
  std::ranges::fill(equal.values(), 2.5F);
  EXPECT_NEAR(share_of(Dataset<float>{.values = equal}), 1, 1e-6);
  EXPECT_EQ(share_of(Dataset<float>{.values = Matrix<float>(7, 3)}), 0);
  EXPECT_EQ(share_of(Dataset<float>{.values = Matrix<float>(0, 3)}), 0);
  // A tenth of the items lack each feature.
  auto x = random_items(30, 5, 1);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 4; ++j) x((7 * i + j) % 30, i) = 0;
  }
  EXPECT_EQ(share_of(Dataset<double>{.values = x}), 0);
}

TEST(BaselineShare, IsThatOfTheNamedItems) {
  const auto x = random_items(40, 6, 4);
  Matrix<double> some(13, 6);
  std::vector<Index> items;
  for (Index j = 0; j < 13; ++j) {
    items.push_back(3 * j);
    std::ranges::copy(x.row(3 * j), some.row(j).begin());
  }
  EXPECT_EQ(baseline_share<double>({.values = x}, items), share_of(Dataset<double>{.values = some}));
}

TEST(BaselineShare, HasTheSameBitsForAnyNumberOfThreadsAndHugeAndTinyScales) {
  const auto x = random_items(80, 100, 3);
  const Dataset<double> data{.values = x};
  double one = 0, four = 0;
  with_threads(1, nullptr, [&] { one = share_of(data); });
  with_threads(4, nullptr, [&] { four = share_of(data); });
  EXPECT_EQ(one, four);
  for (const double scale : {1e-120, 1e120}) {
    auto scaled = x;
    for (double& value : scaled.values()) value *= scale;
    EXPECT_NEAR(share_of(Dataset<double>{.values = scaled}), one, 1e-12) << scale;
  }
}

// What makes verdicts less sure, and what must not.
TEST(BaselineShare, IsLargeForGeneExpressionAndSmallForPartsAndText) {
  for (const Index k : {1, 3, 6}) {
    const auto genes = generate_gene_expression<float>({.k = k, .deviation = 0.4, .seed = 5});
    EXPECT_GT(share_of(genes.data), large_baseline) << k;
  }
  EXPECT_EQ(share_of(generate_corpus<float>({.documents = 200, .terms = 500, .k = 4, .seed = 1}).data), 0);
  // Clusters whose features are their own.
  Random random(2);
  for (const Index k : {2, 4}) {
    Matrix<float> parts(60, 40);
    for (Index j = 0; j < 60; ++j) {
      for (Index i = 0; i < 40; ++i)
        parts(j, i) = static_cast<float>((i % k == j % k ? 1.0 : 0.0) + 0.05 * random.uniform());
    }
    EXPECT_LT(share_of(Dataset<float>{.values = parts}), large_baseline / 2) << k;
  }
}

}  // namespace
}  // namespace copse
