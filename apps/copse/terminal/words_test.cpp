#include "apps/copse/terminal/words.h"

#include <gmock/gmock.h>

namespace copse {
namespace {

TEST(Words, NearestForgivesATypoButNotAnotherWord) {
  const std::vector<std::string> commands = {"factor", "evaluate", "generate", "convert"};
  EXPECT_EQ(nearest("facter", commands), "factor");
  EXPECT_EQ(nearest("fcator", commands), "factor");
  EXPECT_EQ(nearest("eval", commands), "evaluate");
  EXPECT_EQ(nearest("xyz", commands), "");
  EXPECT_EQ(nearest("", commands), "");
}

TEST(Words, LinesKeepTheirWidth) {
  EXPECT_EQ(wrapped("one two three four", 9, 2), "  one two\n  three\n  four\n");
  EXPECT_EQ(wrapped("a\n\nb", 80, 0), "a\n\nb\n");
  EXPECT_EQ(wrapped("unbreakable", 5, 0), "unbreakable\n");
}

}  // namespace
}  // namespace copse
