#include "copse/measure/clustering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/random.h"

namespace copse {
namespace {

using Labels = std::vector<Index>;

Labels random_labels(Index items, Index kinds, std::uint64_t seed) {
  Random random(seed);
  Labels labels(static_cast<std::size_t>(items));
  for (Index& label : labels) label = random.below(kinds);
  return labels;
}

// Of all ways to rename the clusters, the largest share of items whose name is then that of their class.
double accuracy_by_trying(const Labels& clusters, const Labels& classes, Index kinds) {
  Labels name(static_cast<std::size_t>(kinds));
  std::iota(name.begin(), name.end(), Index(0));
  double best = 0;
  do {
    double hits = 0;
    for (std::size_t i = 0; i < clusters.size(); ++i) hits += name[clusters[i]] == classes[i];
    best = std::max(best, hits / static_cast<double>(clusters.size()));
  } while (std::next_permutation(name.begin(), name.end()));
  return best;
}

TEST(CompareClusterings, AccuracyIsTheBestOverAllRenamings) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Index kinds = 1 + static_cast<Index>(seed % 6);
    const auto clusters = random_labels(25, kinds, 2 * seed), classes = random_labels(25, 6, 2 * seed + 1);
    EXPECT_DOUBLE_EQ(compare_clusterings(clusters, classes).accuracy, accuracy_by_trying(clusters, classes, 6));
  }
}

TEST(CompareClusterings, CountsPairsForTheRandIndex) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto a = random_labels(40, 3, 2 * seed), b = random_labels(40, 5, 2 * seed + 1);
    double both = 0, in_a = 0, in_b = 0, all = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        both += a[i] == a[j] && b[i] == b[j];
        in_a += a[i] == a[j];
        in_b += b[i] == b[j];
        all += 1;
      }
    }
    const double expected = in_a * in_b / all;
    EXPECT_NEAR(compare_clusterings(a, b).ari, (both - expected) / ((in_a + in_b) / 2 - expected), 1e-12);
  }
}

TEST(CompareClusterings, FollowsTheFormulasOnATableDoneByHand) {
  // Cluster 7 holds classes {1, 1, 2}, cluster -1 holds {2}.
  const Labels clusters{7, 7, 7, -1}, classes{1, 1, 2, 2};
  const auto m = compare_clusterings(clusters, classes);
  EXPECT_EQ(m.items, 4);
  EXPECT_EQ(m.clusters, 2);
  EXPECT_EQ(m.classes, 2);
  EXPECT_DOUBLE_EQ(m.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(m.purity, 0.75);
  EXPECT_DOUBLE_EQ(m.entropy, -(2 * std::log2(2.0 / 3) + 1 * std::log2(1.0 / 3)) / 4);
  const double information = 0.5 * std::log(4 * 2 / 6.0) + 0.25 * std::log(4 * 1 / 6.0) + 0.25 * std::log(4 * 1 / 2.0);
  const double cluster_entropy = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
  EXPECT_DOUBLE_EQ(m.nmi, information / ((cluster_entropy + std::log(2.0)) / 2));
}

TEST(CompareClusterings, DoesNotDependOnNames) {
  const auto clusters = random_labels(200, 5, 1), classes = random_labels(200, 4, 2);
  auto renamed = clusters;
  for (Index& label : renamed) label = 1000 - 3 * label;
  const auto a = compare_clusterings(clusters, classes), b = compare_clusterings(renamed, classes);
  EXPECT_EQ(a.accuracy, b.accuracy);
  EXPECT_EQ(a.nmi, b.nmi);
  EXPECT_EQ(a.ari, b.ari);
  const auto same = compare_clusterings(clusters, renamed);
  EXPECT_DOUBLE_EQ(same.accuracy, 1);
  EXPECT_DOUBLE_EQ(same.nmi, 1);
  EXPECT_DOUBLE_EQ(same.ari, 1);
  EXPECT_DOUBLE_EQ(same.purity, 1);
  EXPECT_DOUBLE_EQ(same.entropy, 0);
}

TEST(CompareClusterings, IsDefinedAtTheEdges) {
  const Labels one(10, 3), two = random_labels(10, 2, 5);
  Labels all(10);
  std::iota(all.begin(), all.end(), Index(0));
  const double larger = std::max(std::count(two.begin(), two.end(), 0), std::count(two.begin(), two.end(), 1)) / 10.0;
  struct Case {
    Labels clusters, classes;
    double accuracy, nmi, ari, purity, entropy;
  };
  const double class_entropy = -larger * std::log2(larger) - (1 - larger) * std::log2(1 - larger);
  for (const auto& [clusters, classes, accuracy, nmi, ari, purity, entropy] :
       {Case{{}, {}, 1, 1, 1, 1, 0}, Case{{4}, {9}, 1, 1, 1, 1, 0}, Case{one, one, 1, 1, 1, 1, 0},
        Case{all, all, 1, 1, 1, 1, 0}, Case{one, two, larger, 0, 0, larger, class_entropy},
        Case{all, one, 0.1, 0, 0, 1, 0}, Case{one, all, 0.1, 0, 0, 0.1, 1}}) {
    const auto m = compare_clusterings(clusters, classes);
    EXPECT_DOUBLE_EQ(m.accuracy, accuracy);
    EXPECT_DOUBLE_EQ(m.nmi, nmi);
    EXPECT_DOUBLE_EQ(m.ari, ari);
    EXPECT_DOUBLE_EQ(m.purity, purity);
    EXPECT_DOUBLE_EQ(m.entropy, entropy);
  }
}

TEST(CompareClusterings, RefusesLengthsThatDiffer) {
  EXPECT_THROW(compare_clusterings(Labels{1, 2}, Labels{1}), InvalidArgument);
}

TEST(CompareClusterings, TakesManyLabels) {
  // A hundred thousand clusters of one item each, and as many classes: a dense table would not fit.
  Labels all(100000);
  std::iota(all.begin(), all.end(), Index(0));
  EXPECT_EQ(compare_clusterings(all, all).accuracy, 1);
  EXPECT_DOUBLE_EQ(compare_clusterings(all, random_labels(100000, 50, 3)).accuracy, 50 / 100000.0);
}

TEST(LabelNumbers, CountInOrderOfFirstAppearance) {
  const std::vector<std::string> labels{"pear", "apple", "pear", "", "apple"};
  EXPECT_EQ(label_numbers(labels), (Labels{0, 1, 0, 2, 1}));
}

}  // namespace
}  // namespace copse
