#include "copse/io/quoted.h"

#include <gtest/gtest.h>

namespace copse {
namespace {

struct Taken {
  std::string text;
  std::string rest = {};
  bool closes = false;
  bool operator==(const Taken&) const = default;
};

Taken take(std::string_view rest) {
  Taken taken{.text = ">"};
  taken.closes = take_quoted(rest, taken.text);
  taken.rest = rest;
  return taken;
}

TEST(Quoted, EndsAtAQuoteThatIsNotDoubled) {
  EXPECT_EQ(take("a,b\",c"), (Taken{">a,b", ",c", true}));
  EXPECT_EQ(take("\"\"yes\"\"\";x"), (Taken{">\"yes\"", ";x", true}));
  EXPECT_EQ(take("\""), (Taken{">", "", true}));
  EXPECT_EQ(take("\"\"\"\""), (Taken{">\"\"", "", false}));
}

TEST(Quoted, TakesAllWhereNothingCloses) {
  EXPECT_EQ(take("a\"\"b"), (Taken{">a\"b", "", false}));
  EXPECT_EQ(take(""), (Taken{">", "", false}));
}

}  // namespace
}  // namespace copse
