#include "copse/describe/topics.h"

#include <gmock/gmock.h>

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(DescribeTopics, TakesTheLargestWeightsAndNeverAZero) {
  Matrix<float> w(4, 2);
  w(0, 0) = 0.25;
  w(2, 0) = 0.5;
  w(3, 0) = 0.25;
  const auto named = describe_topics(w, {"a", "b", "c", "d"}, 2);
  EXPECT_THAT(named[0].top_features, ElementsAre(Pair("c", 0.5), Pair("a", 0.25)));
  EXPECT_THAT(named[1].top_features, IsEmpty());
  const auto numbered = describe_topics(w, {}, 9);
  EXPECT_THAT(numbered[0].top_features, ElementsAre(Pair("2", 0.5), Pair("0", 0.25), Pair("3", 0.25)));
}

TEST(DescribeTopics, FindsTheMainClass) {
  std::vector<Topic> topics = {{.items = 3, .top_features = {}}, {.items = 0, .top_features = {}}};
  add_main_classes(topics, {0, -1, 0, 0}, {"games", "math", "games", "math"});
  EXPECT_EQ(topics[0].main_class, "games");
  EXPECT_DOUBLE_EQ(topics[0].main_class_share, 2.0 / 3);
  EXPECT_EQ(topics[1].main_class, "");
}

}  // namespace
}  // namespace copse
