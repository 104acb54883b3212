#include "copse/nmf/clusters.h"

#include <gmock/gmock.h>

namespace copse {
namespace {

using ::testing::ElementsAre;

TEST(ClusterItems, TakesTheLargestEntryAndTheFirstOfEqualOnes) {
  Matrix<float> h(4, 3);
  h(0, 2) = 2;
  h(0, 1) = 1;
  h(1, 1) = 3;
  h(1, 2) = 3;
  h(3, 0) = 0.5;
  const Clusters clusters = cluster_items(h);
  EXPECT_THAT(clusters.labels, ElementsAre(2, 1, -1, 0));
  EXPECT_THAT(clusters.weights, ElementsAre(2, 3, 0, 0.5));
  EXPECT_THAT(clusters.sizes, ElementsAre(1, 1, 1));
  EXPECT_EQ(clusters.without_cluster, 1);
}

TEST(ClusterItems, HasNothingToDoWithoutItems) {
  const Clusters clusters = cluster_items(Matrix<double>(0, 2));
  EXPECT_THAT(clusters.labels, ElementsAre());
  EXPECT_THAT(clusters.sizes, ElementsAre(0, 0));
}

TEST(BestTwo, AreTheTwoLargestOfARow) {
  const std::vector<double> row = {1, 4, 0, 4, 1};
  const BestTwo best = best_two(std::span<const double>(row));
  EXPECT_EQ(best.first, 1);
  EXPECT_EQ(best.second, 3);
  EXPECT_DOUBLE_EQ(best.first_share, 0.4);
  EXPECT_DOUBLE_EQ(best.second_share, 0.4);
  const std::vector<double> one = {0, 3}, none = {0, 0};
  EXPECT_EQ(best_two(std::span<const double>(one)).first, 1);
  EXPECT_EQ(best_two(std::span<const double>(one)).second, -1);
  EXPECT_EQ(best_two(std::span<const double>(none)).first, -1);
}

}  // namespace
}  // namespace copse
