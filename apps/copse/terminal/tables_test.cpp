#include "apps/copse/terminal/tables.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace copse {
namespace {

using ::testing::HasSubstr;

TEST(TopicsTable, PutsTheLargestFirstAndKeepsToTheWidth) {
  const std::vector<Topic> topics = {{.size = 1, .words = {{0, 1, "small"}}},
                                     {.size = 3, .words = {{1, 1, "one"}, {2, 1, "two"}, {3, 1, "three"}}}};
  EXPECT_EQ(topics_table(topics, 0),
            "cluster      items  share  top features\n"
            "      1          3  75.0%  one two three\n"
            "      0          1  25.0%  small\n");
  EXPECT_THAT(topics_table(topics, 47), HasSubstr("one two three\n"));
  EXPECT_THAT(topics_table({Topic()}, 80), HasSubstr("0.0%"));
}

// A root with `topics` topics of 10, 9, ... items; the first has three below it.
TopicView view_with(Index topics) {
  TopicView view;
  view.nodes.push_back({.id = "", .size = 100, .leaf = false});
  for (Index t = 0; t < topics; ++t) view.nodes.push_back({.id = t == 0 ? "2.2.2.1" : "2.2.2.1.1", .size = 10 - t});
  for (Index t = 0; t < 3; ++t) view.nodes.push_back({.id = "1.1.2", .parent = 1, .size = 3 - t});
  view.outline.parent.assign(view.nodes.size(), 0);
  view.outline.children.resize(view.nodes.size());
  for (Index t = 1; t <= topics; ++t) view.outline.children[0].push_back(t);
  for (Index t = topics + 1; t <= topics + 3; ++t) view.outline.children[1].push_back(t);
  view.nodes[1].words = {{0, 1.0, "\u00e9tude"}, {1, 0.5, "two"}, {2, 0.25, "three"}};
  view.nodes[2].name = "caf\u00e9";
  return view;
}

TEST(OutlineTable, HasALineForEveryTopic) {
  EXPECT_EQ(outline_table(view_with(2), {}),
            "2x3.1    10   10.0%  \u00e9tude two three\n"
            "  1.1.2   3    3.0%\n"
            "  1.1.2   2    2.0%\n"
            "  1.1.2   1    1.0%\n"
            "2x3.1.1   9    9.0%  \"caf\u00e9\"\n");
  EXPECT_THAT(outline_table(view_with(2), {.words = 1}), HasSubstr("%  \u00e9tude\n"));
  EXPECT_EQ(outline_table(view_with(0), {.lines = 5}), "");
}

TEST(OutlineTable, KeepsToTheWidthInCharacters) {
  EXPECT_THAT(outline_table(view_with(2), {.width = 34}), HasSubstr("%  \u00e9tude two\n"));
  EXPECT_THAT(outline_table(view_with(2), {.width = 30}), HasSubstr("%  \u00e9tude two\n"));
  EXPECT_THAT(outline_table(view_with(2), {.width = 29}), HasSubstr("%  \u00e9tude\n"));
}

TEST(OutlineTable, OpensTheLargestTopicsFirstWhereLinesAreFew) {
  for (const Index topics : {1, 2, 4, 8}) {
    for (std::size_t lines = 3; lines < 14; ++lines) {
      const std::string table = outline_table(view_with(topics), {.lines = lines});
      const auto count = static_cast<std::size_t>(std::ranges::count(table, '\n'));
      const auto all = static_cast<std::size_t>(topics + 3);
      EXPECT_LE(count, lines);
      EXPECT_EQ(table.find("--all") == std::string::npos, all <= lines);
      EXPECT_THAT(table, HasSubstr("2x3.1 "));
      // The three below the first have lines, or it says that they are there.
      EXPECT_EQ(table.find("1.1.2") != std::string::npos, all <= lines);
      EXPECT_EQ(table.find("+3") != std::string::npos, all > lines);
    }
  }
  EXPECT_THAT(outline_table(view_with(8), {.lines = 5}), HasSubstr("... and 7 smaller topics; --all"));
}

TEST(OutlineTable, DrawsBarsInEighths) {
  const std::string table = outline_table(view_with(4), {.bars = true});
  std::string full;
  for (int c = 0; c < 8; ++c) full += "\u2588";
  EXPECT_THAT(table, HasSubstr("10.0%  " + full + " "));                       // the largest
  EXPECT_THAT(table, HasSubstr("3.0%  \u2588\u2588\u258d     "));              // 3 of 10 of 64 eighths: 19
  EXPECT_THAT(table, HasSubstr("9.0%  " + full.substr(0, 3 * 7) + "\u258e"));  // 58
}

TEST(TopicsTable, HasColumnsForNamesAndStabilityWhereTheyAreKnown) {
  const std::vector<Topic> topics = {{.label = "one, two", .size = 3, .stability = 0.875, .words = {{0, 1, "one"}}},
                                     {.size = 1, .words = {{1, 1, "small"}}}};
  EXPECT_EQ(topics_table(topics, 0),
            "cluster      items  share  stability  name      top features\n"
            "      0          3  75.0%       0.88  one, two  one\n"
            "      1          1  25.0%                       small\n");
}

}  // namespace
}  // namespace copse
