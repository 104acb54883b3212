#include "copse/describe/word_forms.h"

#include <gmock/gmock.h>

#include "copse/text/vocabulary.h"

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "run" and "tree" with their stems, and the pair of both.
ModelItems items_with(const std::string& stemmer) {
  Vocabulary vocabulary;
  vocabulary.options.stemmer = stemmer;
  vocabulary.keys = {"dropped", "run", "run tree", "tree"};
  vocabulary.names = {"dropped", "running", "running trees", "trees"};
  ModelItems items;
  items.vocabulary = to_json(vocabulary);
  items.kept_features = {1, 2, 3};
  items.feature_names = {"running", "running trees", "trees"};
  items.excerpts = {"He runs. Running, RUN!", "A run tree; trees dropped."};
  return items;
}

TEST(WordForms, AreThoseOfTheExcerptsByStem) {
  const auto forms = word_forms(items_with("english"));
  EXPECT_THAT(forms, ElementsAre(ElementsAre("run", "runs"), ElementsAre("run tree"), ElementsAre("tree")));
}

TEST(WordForms, AreNoneWithoutStemsOrText) {
  EXPECT_THAT(word_forms(items_with("none")), IsEmpty());
  EXPECT_THAT(word_forms(ModelItems()), IsEmpty());
}

}  // namespace
}  // namespace copse
