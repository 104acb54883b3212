#include "apps/copse/terminal/tables.h"

#include <gmock/gmock.h>

namespace copse {
namespace {

using ::testing::HasSubstr;

TEST(TopicsTable, PutsTheLargestFirstAndKeepsToTheWidth) {
  const std::vector<Topic> topics = {{.items = 1, .top_features = {{"small", 1}}},
                                     {.items = 3, .top_features = {{"one", 1}, {"two", 1}, {"three", 1}}}};
  EXPECT_EQ(topics_table(topics, 0),
            "cluster      items  share  top features\n"
            "      1          3  75.0%  one two three\n"
            "      0          1  25.0%  small\n");
  EXPECT_THAT(topics_table(topics, 47), HasSubstr("one two three\n"));
  EXPECT_THAT(topics_table({{.items = 0, .top_features = {}}}, 80), HasSubstr("0.0%"));
}

TEST(TopicsTable, HasColumnsForNamesAndStabilityWhereTheyAreKnown) {
  const std::vector<Topic> topics = {
      {.label = "one, two", .items = 3, .top_features = {{"one", 1}}, .stability = 0.875},
      {.items = 1, .top_features = {{"small", 1}}}};
  EXPECT_EQ(topics_table(topics, 0),
            "cluster      items  share  stability  name      top features\n"
            "      0          3  75.0%       0.88  one, two  one\n"
            "      1          1  25.0%                       small\n");
}

}  // namespace
}  // namespace copse
