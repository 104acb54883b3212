// The two dense kinds: the mixture of [Kim & Park 2008] and the gene expression of [Kuang 2014].
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "copse/base/error.h"
#include "copse/generate/gene_expression.h"
#include "copse/generate/mixture.h"

namespace copse {
namespace {

struct Moments {
  double count = 0, sum = 0, squares = 0;
  void add(double x) {
    ++count;
    sum += x;
    squares += x * x;
  }
  double mean() const { return sum / count; }
  double variance() const { return squares / count - mean() * mean(); }
};

TEST(Mixture, FollowsItsDefinition) {
  const auto planted = generate_mixture<double>({.k = 8, .seed = 3});
  const auto& items = std::get<Matrix<double>>(planted.data.values);
  ASSERT_EQ(planted.data.features(), 500);
  ASSERT_EQ(planted.data.items(), 1000);
  ASSERT_EQ(planted.labels.size(), 1000u);
  std::map<int, int> means;
  std::map<Index, int> owners;
  Moments high;  // around the mean 3, where the cut at zero does not show
  for (Index i = 0; i < 500; ++i) {
    std::vector<Moments> cluster(8);
    for (Index j = 0; j < 1000; ++j) {
      ASSERT_GE(items(j, i), 0);
      cluster[planted.labels[j]].add(items(j, i));
    }
    Index owner = -1;
    for (Index c = 0; c < 8; ++c) {
      if (cluster[c].sum == 0) continue;
      EXPECT_EQ(owner, -1) << "a feature belongs to one cluster";
      owner = c;
    }
    ASSERT_GE(owner, 0);
    ++owners[owner];
    const double mean = std::round(cluster[owner].mean());
    EXPECT_NEAR(cluster[owner].mean(), mean, 0.25);  // 5 x sqrt(0.3 / 125)
    ++means[static_cast<int>(mean)];
    if (mean == 3) {
      for (Index j = 0; j < 1000; ++j) {
        if (planted.labels[j] == owner) high.add(items(j, i));
      }
    }
  }
  EXPECT_EQ(means.size(), 3u);
  for (const int mean : {1, 2, 3}) EXPECT_NEAR(means[mean], 500 / 3.0, 5 * std::sqrt(500 * 2 / 9.0));
  for (Index c = 0; c < 8; ++c) EXPECT_NEAR(owners[c], 500 / 8.0, 5 * std::sqrt(500 * 7 / 64.0));
  EXPECT_NEAR(high.mean(), 3, 0.02);
  EXPECT_NEAR(high.variance(), 0.3, 0.01);
}

TEST(GeneExpression, HasCentresNoiseAndNuisanceFeatures) {
  const auto planted = generate_gene_expression<double>({.k = 3, .deviation = 0.01, .outlier_fraction = 0, .seed = 2});
  const auto& items = std::get<Matrix<double>>(planted.data.values);
  ASSERT_EQ(planted.data.features(), 200);
  ASSERT_EQ(planted.data.items(), 180);
  for (Index c = 0; c < 3; ++c) EXPECT_EQ(std::count(planted.labels.begin(), planted.labels.end(), c), 60);
  Moments centres, within;
  for (Index i = 0; i < 200; ++i) {
    std::vector<Moments> cluster(3);
    for (Index j = 0; j < 180; ++j) cluster[planted.labels[j]].add(items(j, i));
    for (const Moments& m : cluster) {
      within.add(std::sqrt(m.variance()));
      if (i < 120)
        centres.add(m.mean());
      else
        EXPECT_NEAR(m.mean(), 0.5, 0.01);
    }
  }
  EXPECT_NEAR(within.mean(), 0.01, 0.0003);
  EXPECT_NEAR(centres.mean(), 0.5, 5 * std::sqrt(1 / 12.0 / 360));
  EXPECT_NEAR(centres.variance(), 1 / 12.0, 0.02);
}

TEST(GeneExpression, ReplacesTheShareOfOutliers) {
  // Without noise an entry that differs from most of its cluster is an outlier.
  const auto planted = generate_gene_expression<double>({.k = 2, .deviation = 0, .seed = 7});
  const auto& items = std::get<Matrix<double>>(planted.data.values);
  Moments outlier, value;
  for (Index i = 0; i < 200; ++i) {
    for (Index c = 0; c < 2; ++c) {
      std::map<double, int> seen;
      for (Index j = 0; j < 120; ++j) {
        if (planted.labels[j] == c) ++seen[items(j, i)];
      }
      const auto most = std::max_element(seen.begin(), seen.end(), [](auto a, auto b) { return a.second < b.second; });
      for (Index j = 0; j < 120; ++j) {
        if (planted.labels[j] != c) continue;
        outlier.add(items(j, i) != most->first);
        if (items(j, i) != most->first) value.add(items(j, i));
      }
    }
  }
  EXPECT_NEAR(outlier.mean(), 0.15, 5 * std::sqrt(0.15 * 0.85 / 24000));
  EXPECT_NEAR(value.mean(), 0.5, 0.03);  // uniform over the range of the centres, about [0, 1]
  EXPECT_NEAR(value.variance(), 1 / 12.0, 0.01);
}

TEST(GeneExpression, OutliersMayHaveARangeOfTheirOwn) {
  const auto clean = generate_gene_expression<double>({.k = 1, .deviation = 0.01, .outlier_fraction = 0, .seed = 3});
  const auto planted = generate_gene_expression<double>({.k = 1, .deviation = 0.01, .largest_outlier = 4, .seed = 3});
  const auto &before = std::get<Matrix<double>>(clean.data.values),
             &after = std::get<Matrix<double>>(planted.data.values);
  Moments outlier, value;
  for (Index j = 0; j < 60; ++j) {
    for (Index i = 0; i < 200; ++i) {
      outlier.add(after(j, i) != before(j, i));
      if (after(j, i) != before(j, i)) value.add(after(j, i));
    }
  }
  EXPECT_NEAR(outlier.mean(), 0.15, 5 * std::sqrt(0.15 * 0.85 / 12000));
  EXPECT_NEAR(value.mean(), 2, 5 * std::sqrt(16 / 12.0 / 1800));
  EXPECT_NEAR(value.variance(), 16 / 12.0, 0.15);
  EXPECT_THROW(generate_gene_expression<float>({.k = 2, .largest_outlier = -1}), InvalidArgument);
}

TEST(GeneExpression, MovesEachFeatureUpByTheLeast) {
  const auto planted = generate_gene_expression<float>({.k = 2, .deviation = 0.5, .seed = 1});
  const auto& items = std::get<Matrix<float>>(planted.data.values);
  for (Index i = 0; i < 200; ++i) {
    float least = 1e9f;
    for (Index j = 0; j < 120; ++j) least = std::min(least, items(j, i));
    EXPECT_EQ(least, 0);  // with this deviation every feature has a negative entry
  }
}

TEST(DenseKinds, RefuseOptionsOutOfRange) {
  EXPECT_THROW(generate_mixture<float>({}), InvalidArgument);
  EXPECT_THROW(generate_mixture<float>({.k = 11, .items = 10}), InvalidArgument);
  EXPECT_THROW(generate_mixture<float>({.k = 2, .variance = -1}), InvalidArgument);
  EXPECT_THROW(generate_gene_expression<float>({}), InvalidArgument);
  EXPECT_THROW(generate_gene_expression<float>({.k = 2, .nuisance_features = 201}), InvalidArgument);
  EXPECT_THROW(generate_gene_expression<float>({.k = 2, .outlier_fraction = 1.1}), InvalidArgument);
}

}  // namespace
}  // namespace copse
