#include "copse/text/tokens.h"

#include <gmock/gmock.h>

#include <chrono>

#include "copse/text/stem.h"
#include "copse/text/stop_words.h"
#include "copse/text/words.h"

namespace copse {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> tokens(std::string_view text, const TokenOptions& options = {}) {
  Tokenizer tokenizer(options);
  std::vector<std::string> result;
  for (const Token& token : tokenizer.tokenize(text)) result.emplace_back(token.word);
  return result;
}

TEST(Tokenizer, FoldsCaseAndCompatibleForms) {
  EXPECT_THAT(tokens("STRASSE Straße ﬁeld Ｆｕｌｌ ΟΔΥΣΣΕΥΣ"),
              ElementsAre("strasse", "strasse", "field", "full", "οδυσσευσ"));
}

TEST(Tokenizer, TreatsApostrophesAsAReaderDoes) {
  EXPECT_THAT(tokens("don't don’t dog's dogs' James’s O'Brien rock'n'roll"),
              ElementsAre("don't", "don't", "dog", "dogs", "james", "o'brien", "rock'n'roll"));
  EXPECT_THAT(tokens("l'homme qu’elle dell'arte aujourd'hui d'accord"),
              ElementsAre("homme", "elle", "arte", "aujourd'hui", "accord"));
  EXPECT_THAT(tokens("dog's l'homme", {.apostrophes = false}), ElementsAre("dog's", "l'homme"));
}

TEST(Tokenizer, DropsNumbersButNotWordsWithDigits) {
  EXPECT_THAT(tokens("in 1993, 3.14 or 1,000 mp3 h2o x_1 ١٢٣ 12%"), ElementsAre("in", "or", "mp3", "h2o", "x_1"));
  EXPECT_THAT(tokens("in 1993, 3.14 or 7 ١٢٣", {.numbers = true}), ElementsAre("in", "1993", "3.14", "or", "١٢٣"));
}

TEST(Tokenizer, DropsUrlsAndAddresses) {
  const std::string text =
      "see http://example.org/a_b?c=d&e=f#g, or (https://b.example/x). www.example.com! mail "
      "first.last+tag@mail.example.org, <153.7352@host> at @handle a@b done";
  EXPECT_THAT(tokens(text), ElementsAre("see", "or", "mail", "at", "@handle", "a@b", "done"));
  EXPECT_THAT(tokens("at http://Example.org/A now", {.links = Links::whole}),
              ElementsAre("at", "http://example.org/a", "now"));
  EXPECT_THAT(tokens("at http://example.org/a1 now", {.links = Links::words}),
              ElementsAre("at", "http", "example.org", "a1", "now"));
}

TEST(Tokenizer, TakesLinearTimeForManyLinks) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "@ a@b.c :// ";
  const auto start = std::chrono::steady_clock::now();
  tokens(text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));  // quadratic would take hours
}

TEST(Tokenizer, TrimsUnderscoresAndDropsWhatHasNoLetter) {
  EXPECT_THAT(tokens("_emphasis_ ____ snake_case __init__ @ @@"), ElementsAre("emphasis", "snake_case", "init"));
}

TEST(Tokenizer, KeepsToTheLimitsOfLength) {
  EXPECT_THAT(tokens("a bc def " + std::string(41, 'x') + " " + std::string(40, 'y')),
              ElementsAre("bc", "def", std::string(40, 'y')));
  EXPECT_THAT(tokens("a bc def", {.min_length = 3}), ElementsAre("def"));
  EXPECT_THAT(tokens("é éa"), ElementsAre("éa"));
  EXPECT_THAT(tokens("人 は 山"), ElementsAre("人", "は", "山"));  // one character is a word
}

TEST(Tokenizer, CutsTextWithoutSpaces) {
  EXPECT_THAT(tokens("我们在北京大学学习"), ElementsAre("我们", "在", "北京", "大学", "学习"));
  EXPECT_THAT(tokens("ภาษาไทย"), ElementsAre("ภาษา", "ไทย"));
}

TEST(Tokenizer, SurvivesAnything) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>((i * 2654435761U) >> 11);
  for (const WordRule rule : {WordRule::unicode, WordRule::word_characters}) {
    for (const Links links : {Links::drop, Links::whole, Links::words})
      tokens(bytes, {.rule = rule, .links = links, .numbers = true, .min_length = 1});
  }
  EXPECT_THAT(tokens("שלום עולם 👍🏽 مرحبا"), ElementsAre("שלום", "עולם", "مرحبا"));
  EXPECT_THAT(tokens(""), IsEmpty());
}

TEST(Tokenizer, AWordLeftOutStandsBetweenItsNeighbours) {
  Tokenizer tokenizer;
  const auto& list = tokenizer.tokenize("new york 1993 city hall http://a.b/ here");
  std::vector<bool> adjacent;
  for (const Token& token : list) adjacent.push_back(token.adjacent);
  EXPECT_THAT(adjacent, ElementsAre(false, true, false, true, false));
}

TEST(Tokenizer, GivesTheTokensOfALongTextInPieces) {
  // 41 bytes and 31, so that cuts of megabytes fall on all kinds of places.
  std::string text;
  while (text.size() < 5'000'000) {
    text += "new york 1993 don't at http://a.b/c x-ray ";
    if (text.size() % 3 == 0) text += "Straße  東京都に行く naïve\n";
  }
  for (const WordRule rule : {WordRule::unicode, WordRule::word_characters}) {
    for (const Links links : {Links::drop, Links::whole, Links::words}) {
      Tokenizer whole({.rule = rule, .links = links}), cut({.rule = rule, .links = links});
      const std::vector<Token>& expected = whole.tokenize(text);
      std::size_t place = 0, pieces = 0;
      cut.tokenize(text, [&](std::span<const Token> tokens) {
        ++pieces;
        for (const Token& token : tokens) {
          ASSERT_LT(place, expected.size());
          ASSERT_EQ(token.word, expected[place].word) << place;
          ASSERT_EQ(token.adjacent, expected[place].adjacent) << place;
          ++place;
        }
      });
      EXPECT_EQ(place, expected.size());
      EXPECT_GE(pieces, 4u);
    }
  }
  Tokenizer tokenizer;
  std::size_t count = 0;
  tokenizer.tokenize(std::string(3'000'000, 'x') + " end",
                     [&](std::span<const Token> tokens) { count += tokens.size(); });
  EXPECT_EQ(count, 1u);  // the first is too long for a word, and nowhere to be cut
}

TEST(StopWords, AreCutLikeTheText) {
  const auto english = stop_words("english", {});
  EXPECT_THAT(english, Contains("the"));
  EXPECT_THAT(english, Contains("don't"));
  EXPECT_THAT(english, Not(Contains("cat")));
  EXPECT_THAT(stop_words("english", {.rule = WordRule::word_characters}), Contains("don"));
  EXPECT_THAT(stop_words("russian", {}), Contains("и"));
  for (const std::string& language : stop_word_languages()) EXPECT_GT(stop_words(language, {}).size(), 50u) << language;
}

TEST(Stemmer, TakesFormsTogether) {
  Stemmer english("english");
  EXPECT_EQ(english.stem("connections"), "connect");
  EXPECT_EQ(english.stem("connected"), "connect");
  EXPECT_EQ(Stemmer("german").stem("häuser"), "haus");
}

}  // namespace
}  // namespace copse
