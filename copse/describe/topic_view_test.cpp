#include "copse/describe/topic_view.h"

#include <gmock/gmock.h>

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;

// Four features and two topics, the second without any; two items.
FlatModel small_model(std::vector<std::string> features) {
  Matrix<float> w(4, 2), h(2, 2);
  w(0, 0) = 0.25;
  w(2, 0) = 0.5;
  w(3, 0) = 0.25;
  h(0, 0) = 2;
  FlatModel model;
  model.w = w;
  model.h = h;
  model.items.feature_names = std::move(features);
  model.items.item_names = {"x", "y"};
  return model;
}

TEST(FlatView, TakesTheLargestWeightsAndNeverAZero) {
  const TopicView named = view_of(small_model({"a", "b", "c", "d"}), {.words = 2});
  EXPECT_THAT(named.nodes[1].words, ElementsAre(FieldsAre(2, 0.5, "c"), FieldsAre(0, 0.25, "a")));
  EXPECT_THAT(named.nodes[2].words, IsEmpty());
  const TopicView numbered = view_of(small_model({}), {.words = 9});
  EXPECT_THAT(numbered.nodes[1].words,
              ElementsAre(FieldsAre(2, 0.5, "2"), FieldsAre(0, 0.25, "0"), FieldsAre(3, 0.25, "3")));
}

TEST(FlatView, PlacesItemsAndCallsThemByTheirNames) {
  const TopicView view = view_of(small_model({}));
  EXPECT_THAT(view.labels(), ElementsAre(1, -1));
  EXPECT_TRUE(view.items[1].outlier);
  EXPECT_EQ(view.nodes[1].size, 1);
  EXPECT_THAT(view.nodes[1].representatives, ElementsAre(FieldsAre(0, 2, "x")));
}

TEST(FlatView, IsTheSameInBothPrecisions) {
  FlatModel single = small_model({}), full = single;
  Matrix<double> w(4, 2), h(2, 2);
  for (Index i = 0; i < 4; ++i) w(i, 0) = single.w(i, 0);
  h(0, 0) = 2;
  full.w = w;
  full.h = h;
  const TopicView a = view_of(single), b = view_of(full);
  EXPECT_EQ(a.labels(), b.labels());
  ASSERT_EQ(a.nodes[1].words.size(), b.nodes[1].words.size());
  for (std::size_t r = 0; r < a.nodes[1].words.size(); ++r)
    EXPECT_EQ(a.nodes[1].words[r].weight, b.nodes[1].words[r].weight);
}

TEST(MainClasses, AreTheMostFrequent) {
  std::vector<Topic> topics(2);
  topics[0].size = 3;
  add_main_classes(topics, {0, -1, 0, 0}, {"games", "math", "games", "math"});
  EXPECT_EQ(topics[0].main_class, "games");
  EXPECT_DOUBLE_EQ(topics[0].main_class_share, 2.0 / 3);
  EXPECT_EQ(topics[1].main_class, "");
}

}  // namespace
}  // namespace copse
