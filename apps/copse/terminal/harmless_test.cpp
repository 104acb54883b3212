#include "apps/copse/terminal/harmless.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace copse {
namespace {

TEST(Harmless, TakesControlCharactersOut) {
  EXPECT_EQ(harmless("\033[31mred\033[0m"), "?[31mred?[0m");
  EXPECT_EQ(harmless("\033]0;title\007"), "?]0;title?");
  EXPECT_EQ(harmless("one\ntwo\tthree\r"), "one two three ");
  EXPECT_EQ(harmless("a\x7F\b\vb"), "a?? b");
  EXPECT_EQ(harmless("csi \xC2\x9B 31m"), "csi ? 31m");         // U+009B, one character for ESC [
  EXPECT_EQ(harmless("a\xE2\x80\xAE b\xE2\x81\xA6"), "a? b?");  // U+202E and U+2066 turn the direction
  EXPECT_EQ(harmless("a\xE2\x80\xA8"
                     "b"),
            "a b");                                                     // U+2028 ends a line
  EXPECT_EQ(harmless("caf\xE9 \x9B"), "caf\xEF\xBF\xBD \xEF\xBF\xBD");  // not UTF-8
}

TEST(Harmless, LeavesTextAsItIs) {
  for (const char* text : {"", "plain words", "na\xC3\xAFve \xE2\x80\x9Cquotes\xE2\x80\x9D", "\xE4\xB8\xAD\xE6\x96\x87",
                           "\xF0\x9F\x8C\xB3", "\xC2\xA0"}) {
    EXPECT_EQ(harmless(text), text);
    EXPECT_EQ(harmless_lines(text), text);
    EXPECT_EQ(harmless_json(text), text);
  }
  EXPECT_EQ(harmless_lines("a\tb\n\033c\n"), "a\tb\n?c\n");
}

TEST(Harmless, KeepsTheMeaningOfJson) {
  const nlohmann::json json = {{"title", "a\x7F \xC2\x9B \xE2\x80\xAE \033 \n \xC3\xA9"}};
  const std::string text = harmless_json(json.dump());
  EXPECT_EQ(harmless_lines(text), text);
  EXPECT_EQ(nlohmann::json::parse(text), json);
}

}  // namespace
}  // namespace copse
