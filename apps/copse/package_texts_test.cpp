#include "apps/copse/package_texts.h"

#include <gmock/gmock.h>

namespace copse {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ParsePackages, TakesNameSectionAndTheWholeDescription) {
  const PackageTexts texts = parse_packages(
      "Package: chess\nSection: contrib/games\nDescription: play chess\n against the machine\n .\n or a friend\n"
      "Tag: game::board,\n role::program\n\n"
      "Package: nothing\nSection: misc\n\n"
      "Package: chess\nSection: games\nDescription: older version\n\n"
      "Package: tree\nDescription-en: list folders\nSection: utils");
  EXPECT_THAT(texts.names, ElementsAre("chess", "tree"));
  EXPECT_THAT(texts.sections, ElementsAre("games", "utils"));
  EXPECT_THAT(texts.descriptions, ElementsAre("play chess\nagainst the machine\n.\nor a friend", "list folders"));
}

TEST(ParsePackages, HasNothingToSayAboutNothing) {
  EXPECT_THAT(parse_packages("").names, IsEmpty());
  EXPECT_THAT(parse_packages("\n\n:\n x\n").names, IsEmpty());
}

TEST(CountWords, CountsLettersAndLeavesOutWhatIsCommon) {
  const auto data = count_words<float>({"A big cat-eats big CAT2", "The big dog", "big of at", "big dog's bone"}, 0.5);
  EXPECT_THAT(data.feature_names, ElementsAre("cat", "eats", "dog", "bone"));  // `big` is in all four
  const auto& x = std::get<SparseMatrix<float>>(data.values);
  EXPECT_THAT(x.offsets, ElementsAre(0, 2, 3, 3, 5));
  EXPECT_THAT(x.indices, ElementsAre(0, 1, 2, 2, 3));
  EXPECT_THAT(x.values, ElementsAre(2, 1, 1, 1, 1));
  EXPECT_EQ(data.features(), 4);
  EXPECT_EQ(data.items(), 4);
}

TEST(CountWords, TextsWithoutWordsAreEmptyItems) {
  const auto data = count_words<double>({"", "a b", "\xC3\xA9\xC3\xA9\xC3\xA9"}, 1);
  EXPECT_EQ(data.features(), 0);
  EXPECT_EQ(data.items(), 3);
}

}  // namespace
}  // namespace copse
