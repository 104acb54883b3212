#include "copse/describe/names.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "copse/base/error.h"
#include "copse/base/random.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Items by the words that they hold.
Dataset<float> items_of(const std::vector<std::vector<Index>>& words, Index features) {
  SparseMatrix<float> x;
  x.rows = features;
  x.cols = static_cast<Index>(words.size());
  for (const auto& item : words) {
    for (const Index word : item) {
      x.indices.push_back(static_cast<RowIndex>(word));
      x.values.push_back(0.5F);
    }
    x.offsets.push_back(static_cast<Index>(x.indices.size()));
  }
  Dataset<float> data;
  data.values = std::move(x);
  return data;
}

ModelItems named(const std::vector<std::string>& features, std::size_t items) {
  ModelItems model;
  model.feature_names = features;
  model.item_names.resize(items);
  return model;
}

// Nodes 1 and 2 below the root, 1.1 and 1.2 below 1; `leaf` of every item.
TopicView small_tree(const std::vector<std::vector<Ranked>>& words, const std::vector<Index>& leaf) {
  TopicView view;
  const std::vector<std::pair<std::string, Index>> nodes = {{"", -1}, {"1", 0}, {"2", 0}, {"1.1", 1}, {"1.2", 1}};
  for (std::size_t n = 0; n < nodes.size(); ++n)
    view.nodes.push_back({.id = nodes[n].first, .parent = nodes[n].second, .words = words[n]});
  for (const Index node : leaf) view.items.push_back({.node = node});
  return view;
}

TEST(TopicNames, TellANodeFromItsParentAndSiblings) {
  // sport: ball, team; 1.1 goal, 1.2 bat; 2: vote. "the" is everywhere and heaviest.
  const std::vector<std::string> features = {"the", "ball", "team", "goal", "bat", "vote"};
  const auto data = items_of({{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 2, 4}, {0, 5}, {0, 5}}, 6);
  const auto view = small_tree({{},
                                {{0, .9}, {1, .5}, {2, .4}, {3, .2}, {4, .2}},
                                {{0, .9}, {5, .5}},
                                {{0, .9}, {1, .5}, {2, .4}, {3, .3}},
                                {{0, .9}, {1, .5}, {2, .4}, {4, .3}}},
                               {3, 3, 4, 4, 2, 2});
  EXPECT_THAT(topic_names(view, data, named(features, 6)), ElementsAre("", "ball, team, goal", "vote", "goal", "bat"));
}

TEST(TopicNames, TakePhrasesForTheirWordsAndOneFormOfEach) {
  const std::vector<std::string> features = {"chip", "clipper chip", "clipper", "keys", "key", "other"};
  const auto data = items_of({{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {5}, {5}}, 6);
  const std::vector<Ranked> words = {{2, .9}, {1, .6}, {0, .5}, {3, .4}, {4, .3}};
  const auto view = small_tree({{}, words, {{5, 1}}, words, {}}, {3, 3, 2, 2});
  EXPECT_EQ(topic_names(view, data, named(features, 4))[1], "clipper chip, keys");
}

TEST(TopicNames, StandOnceWhateverTheTopics) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Index features = 1 + random.below(8), leaves = 2 + random.below(30);
    std::vector<std::string> names;
    for (Index i = 0; i < features; ++i) names.push_back(std::string(1, static_cast<char>('a' + i)));
    TopicView view;
    view.nodes.push_back({.id = ""});
    for (Index n = 1; n <= leaves; ++n) {
      auto& node = view.nodes.emplace_back(Topic{.id = std::to_string(n), .parent = random.below(n)});
      for (Index i = 0; i < features; ++i) node.words.push_back({i, 1.0 / static_cast<double>(1 + random.below(3))});
    }
    std::vector<std::vector<Index>> words;
    for (Index j = 0; j < 40; ++j) {
      auto& item = words.emplace_back();
      for (Index i = 0; i < features; ++i) {
        if (random.uniform() < 0.5) item.push_back(i);
      }
      view.items.push_back({.node = random.below(leaves + 1), .outlier = random.uniform() < 0.1});
    }
    const auto found = topic_names(view, items_of(words, features), named(names, words.size()));
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), found.size()) << "seed " << seed;

    // In another order of the items they are the same.
    std::ranges::reverse(words);
    std::ranges::reverse(view.items);
    EXPECT_EQ(topic_names(view, items_of(words, features), named(names, words.size())), found);
  }
}

TEST(TopicNames, HaveTwoTermsAndAThirdThatIsNotMuchWeaker) {
  const auto data = items_of({{0, 1, 2}, {0, 1, 2}, {3}, {3}}, 4);
  const auto name = [&](double second, double third) {
    const auto view = small_tree({{}, {{0, 1}, {1, second}, {2, third}}, {{3, 1}}, {}, {}}, {3, 3, 2, 2});
    return topic_names(view, data, named({"a", "b", "c", "d"}, 4))[1];
  };
  EXPECT_EQ(name(.5, .2), "a, b, c");
  EXPECT_EQ(name(.5, .05), "a, b");
  EXPECT_EQ(name(.05, .02), "a, b");
}

TEST(TopicNames, StayAndAreNotGivenAgain) {
  const auto view = small_tree({{}, {{0, 1}, {1, .5}}, {{2, 1}}, {{0, 1}}, {{1, 1}}}, {3, 4, 2});
  const auto data = items_of({{0}, {1}, {2}}, 3);
  ModelItems items = named({"a", "b", "c"}, 3);
  EXPECT_THAT(topic_names(view, data, items), ElementsAre("", "a, b", "c", "a", "b"));
  items.label_ids = {"2", "1.1"};
  items.labels = {"b, a", "old"};
  EXPECT_THAT(topic_names(view, data, items), ElementsAre("", "a, b (1)", "b, a", "old", "b"));
}

TEST(TopicNames, NeedNamesOfFeatures) {
  const auto view = small_tree({{}, {{0, 1}}, {{1, 1}}, {{0, 1}}, {{0, 1}}}, {3, 4, 2});
  EXPECT_THAT(topic_names(view, items_of({{0}, {0}, {1}}, 2), named({}, 3)), ElementsAre("", "", "", "", ""));
}

TEST(Forms, ShareABeginningButNoDigits) {
  EXPECT_TRUE(are_forms("bank", "banking"));
  EXPECT_TRUE(are_forms("world bank", "banks"));
  EXPECT_TRUE(are_forms("изменение", "изменения"));
  EXPECT_TRUE(are_forms("a", "a"));
  EXPECT_TRUE(are_forms("cars", "car"));
  EXPECT_FALSE(are_forms("car", "card"));  // fewer than four letters
  EXPECT_FALSE(are_forms("as", "a"));
  EXPECT_FALSE(are_forms("communication", "community"));
  EXPECT_FALSE(are_forms("word1", "word12"));
  EXPECT_FALSE(are_forms("мир", "мираж"));  // six bytes, three characters
}

// What a prompt says of each topic: id to key to value, where typical items have the key "-".
std::map<std::string, std::map<std::string, std::string>> sections_of(const std::string& prompt) {
  std::map<std::string, std::map<std::string, std::string>> sections;
  std::string id;
  for (const std::string& line : split(prompt, '\n')) {
    if (line.starts_with("## ")) id = line.substr(3);
    const std::size_t colon = line.find(": ");
    if (line.starts_with("- "))
      sections[id]["-"] = line.substr(2);
    else if (!id.empty() && colon != std::string::npos)
      sections[id][line.substr(0, colon)] = line.substr(colon + 2);
  }
  return sections;
}

TEST(NamesPrompt, AsksForWhatIsReadBack) {
  auto view = small_tree({{}, {{0, 1, "ball"}}, {{1, 1, "vote"}}, {{0, 1, "ball"}}, {{0, 1, "ball"}}}, {3, 4, 2});
  for (std::size_t n = 1; n < view.nodes.size(); ++n) view.nodes[n].label = "name " + view.nodes[n].id;
  view.nodes[3].representatives = {{1, 0.5}};
  view.outline = {.parent = {-1, 0, 0, 1, 1}, .children = {{1, 2}, {3, 4}, {}, {}, {}}};
  ModelItems items = named({"ball", "vote"}, 3);
  items.excerpt_items = {1};
  items.excerpts = {"First\n line\tof " + std::string(500, 'x')};
  const std::string text = names_prompt(view, items);
  auto sections = sections_of(text);
  ASSERT_EQ(sections.count("1.1"), 1U);
  EXPECT_EQ(sections["1.1"]["name"], "name 1.1");
  EXPECT_EQ(sections["1.1"]["terms"], "ball");
  EXPECT_THAT(sections["1.1"]["parent"], HasSubstr("name 1"));
  EXPECT_THAT(sections["1.1"]["siblings"], HasSubstr("name 1.2"));
  EXPECT_EQ(sections["1"].count("parent"), 0U);
  // The beginning of a typical document, on one line.
  EXPECT_THAT(sections["1.1"]["-"], StartsWith("First line of xxx"));
  EXPECT_LT(sections["1.1"]["-"].size(), 300U);

  // The lines that it ends with are those that are read back.
  std::vector<std::string> lines = split(text, '\n');
  std::erase_if(lines, [](const std::string& line) { return line.find('\t') == std::string::npos; });
  const auto names = given_names(lines, "f");
  ASSERT_EQ(names.size(), 4U);
  for (std::size_t n = 0; n < names.size(); ++n) EXPECT_EQ(names[n].line, static_cast<Index>(n) + 1);
  EXPECT_EQ(names[2].id, "1.2");
  EXPECT_EQ(names[2].name, "name 1.2");

  // A node that is not shown is not asked for: a name would show it.
  view.outline = {.parent = {-1, -1, 0, 0, 0}, .children = {{2, 3, 4}, {}, {}, {}, {}}};
  sections = sections_of(names_prompt(view, items));
  EXPECT_EQ(sections.count("1"), 0U);
  EXPECT_THAT(sections["1.1"]["siblings"], AllOf(HasSubstr("name 2"), HasSubstr("name 1.2")));
}

TEST(GivenNames, SayWhichLineIsWrong) {
  const auto sentence = [](const std::vector<std::string>& lines) -> std::string {
    try {
      given_names(lines, "names.tsv");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(sentence({"1\ta b ", "1.2\tc"}), "");
  const auto wrong_in = [](int line) { return HasSubstr("names.tsv, line " + std::to_string(line) + ":"); };
  EXPECT_THAT(sentence({"1\ta", "", "2\tb"}), wrong_in(2));
  EXPECT_THAT(sentence({"1\ta", "2 b"}), AllOf(wrong_in(2), HasSubstr("tab")));
  EXPECT_THAT(sentence({"1\ta", "2\t "}), AllOf(wrong_in(2), HasSubstr("topic 2")));
  EXPECT_THAT(sentence({"1\ta", "2\tb", "1\tc"}), AllOf(wrong_in(3), HasSubstr("topic 1"), HasSubstr("line 1")));
  EXPECT_THAT(sentence({"1.1.1\ta", "1x3\tb"}), AllOf(wrong_in(2), HasSubstr("topic 1x3"), HasSubstr("line 1")));
  EXPECT_THAT(sentence({"1\ta", "2\ta"}), AllOf(wrong_in(2), HasSubstr("\"a\""), HasSubstr("line 1")));
  EXPECT_THAT(sentence({"1\ta\tb"}), AllOf(wrong_in(1), HasSubstr("tab")));
  EXPECT_THAT(sentence({}), HasSubstr("names.tsv"));
}

}  // namespace
}  // namespace copse
