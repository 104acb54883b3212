#include "apps/copse/terminal/words.h"

#include <gmock/gmock.h>

#include "copse/base/error.h"

namespace copse {
namespace {

TEST(Words, AmountsWithUnits) {
  EXPECT_EQ(parse_bytes("1000"), 1000);
  EXPECT_EQ(parse_bytes("1.5G"), 1.5e9);
  EXPECT_EQ(parse_bytes("2 GiB"), 2147483648.0);
  EXPECT_EQ(parse_seconds("90"), 90);
  EXPECT_EQ(parse_seconds("1.5m"), 90);
  EXPECT_EQ(parse_seconds("2h"), 7200);
  for (const char* wrong : {"", "G", "0", "-1", "8X", "inf", "nan", "8 apples"}) {
    EXPECT_THROW(parse_bytes(wrong), InvalidArgument) << wrong;
    EXPECT_THROW(parse_seconds(wrong), InvalidArgument) << wrong;
  }
}

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
