#include "copse/choose/linkage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "copse/base/random.h"

namespace copse {
namespace {

PairDistances random_distances(Index n, std::uint64_t seed, bool ties) {
  Random random(seed);
  PairDistances distances{n, {}};
  for (Index p = 0; p < n * (n - 1) / 2; ++p)
    distances.values.push_back(ties ? static_cast<double>(random.below(4)) / 4 : random.uniform());
  return distances;
}

double mean_distance(const PairDistances& d, const std::vector<Index>& a, const std::vector<Index>& b) {
  double sum = 0;
  for (const Index i : a) {
    for (const Index j : b) sum += d(i, j);
  }
  return sum / static_cast<double>(a.size() * b.size());
}

// Merges the two closest clusters, with all means made anew, until one is left.
PairDistances cophenetic_by_definition(const PairDistances& d) {
  PairDistances heights{d.items, std::vector<double>(d.values.size())};
  std::vector<std::vector<Index>> clusters;
  for (Index j = 0; j < d.items; ++j) clusters.push_back({j});
  while (clusters.size() > 1) {
    std::size_t left = 0, right = 1;
    for (std::size_t a = 0; a < clusters.size(); ++a) {
      for (std::size_t b = a + 1; b < clusters.size(); ++b) {
        if (mean_distance(d, clusters[a], clusters[b]) < mean_distance(d, clusters[left], clusters[right])) {
          left = a;
          right = b;
        }
      }
    }
    const double height = mean_distance(d, clusters[left], clusters[right]);
    for (const Index i : clusters[left]) {
      for (const Index j : clusters[right]) heights(i, j) = height;
    }
    clusters[left].insert(clusters[left].end(), clusters[right].begin(), clusters[right].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(right));
  }
  return heights;
}

TEST(AverageLinkage, MergesTheClosestFirst) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PairDistances distances = random_distances(2 + static_cast<Index>(seed), seed, false);
    const auto heights = average_linkage(distances).cophenetic(), expected = cophenetic_by_definition(distances);
    for (std::size_t p = 0; p < heights.values.size(); ++p) EXPECT_NEAR(heights.values[p], expected.values[p], 1e-12);
  }
}

TEST(AverageLinkage, HasRisingHeightsWhereDistancesAreTied) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Dendrogram tree = average_linkage(random_distances(17, seed, true));
    ASSERT_EQ(tree.merges.size(), 16u);
    EXPECT_EQ(tree.merges.back().size, 17);
    for (std::size_t i = 1; i < tree.merges.size(); ++i)
      EXPECT_LE(tree.merges[i - 1].height, tree.merges[i].height + 1e-12);
    auto order = tree.order();
    std::ranges::sort(order);
    for (Index j = 0; j < 17; ++j) EXPECT_EQ(order[j], j);
  }
}

TEST(AverageLinkage, CutsIntoBlocksThatStandTogetherInTheOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Dendrogram tree = average_linkage(random_distances(15, seed, false));
    for (Index k = 1; k <= 15; ++k) {
      const auto labels = tree.cut(k);
      EXPECT_EQ(*std::ranges::max_element(labels) + 1, k);
      Index changes = 1;
      const auto order = tree.order();
      for (std::size_t e = 1; e < order.size(); ++e) changes += labels[order[e]] != labels[order[e - 1]];
      EXPECT_EQ(changes, k);
    }
  }
}

TEST(AverageLinkage, OfOneItemOrNone) {
  EXPECT_TRUE(average_linkage({0, {}}).order().empty());
  EXPECT_EQ(average_linkage({1, {}}).order(), std::vector<Index>{0});
  EXPECT_EQ(average_linkage({1, {}}).cut(1), std::vector<Index>{0});
}

TEST(Correlation, IsDefinedForConstantLists) {
  const std::vector<double> rising{1, 2, 3}, falling{3, 2, 1}, constant{2, 2, 2};
  EXPECT_DOUBLE_EQ(correlation(rising, rising), 1);
  EXPECT_DOUBLE_EQ(correlation(rising, falling), -1);
  EXPECT_DOUBLE_EQ(correlation(constant, constant), 1);
  EXPECT_DOUBLE_EQ(correlation(constant, rising), 0);
}

}  // namespace
}  // namespace copse
