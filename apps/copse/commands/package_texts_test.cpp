#include "apps/copse/commands/package_texts.h"

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

TEST(ParsePackages, TakesTheLongTextsOfTranslations) {
  const PackageTexts texts = parse_packages(
      "Package: chess\nSection: games\nDescription: play chess\nDescription-md5: 12ab\n\n"
      "Package: tree\nSection: utils\nDescription: list folders\nDescription-md5: 77\n\n"
      "Package: plain\nSection: utils\nDescription: no digest\n\n"
      "Package: chess\nDescription-md5: 99\nDescription-en: of another version\n and long\n\n"
      "Package: chess\nDescription-md5: 12ab\nDescription-en: play chess\n against the machine\n\n"
      "Package: plain\nDescription-en: nobody's\n long text\n");
  EXPECT_THAT(texts.names, ElementsAre("chess", "tree", "plain"));
  EXPECT_THAT(texts.descriptions, ElementsAre("play chess\nagainst the machine", "list folders", "no digest"));
}

TEST(ParsePackages, HasNothingToSayAboutNothing) {
  EXPECT_THAT(parse_packages("").names, IsEmpty());
  EXPECT_THAT(parse_packages("\n\n:\n x\n").names, IsEmpty());
}

}  // namespace
}  // namespace copse
