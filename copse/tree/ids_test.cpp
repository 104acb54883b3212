#include "copse/tree/ids.h"

#include <gtest/gtest.h>

#include <random>

namespace copse {
namespace {

TEST(Ids, AreShortWhereStepsRepeat) {
  EXPECT_EQ(short_id(""), "");
  EXPECT_EQ(short_id("2"), "2");
  EXPECT_EQ(short_id("1.1.2.2"), "1.1.2.2");
  EXPECT_EQ(short_id("1.1.1"), "1x3");
  EXPECT_EQ(short_id("2.1.1.1.1.1.1.1.1.1.1.1.1.1.1"), "2.1x14");
  EXPECT_EQ(short_id("1.1.1.1.2.1.1.2.2.2"), "1x4.2.1.1.2x3");
}

TEST(Ids, ComeBackInFullFromEitherSpelling) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string id;
    for (auto steps = random() % 30; steps > 0; --steps)
      id += (id.empty() ? "" : ".") + std::string(random() % 4 ? "1" : "2");
    EXPECT_EQ(full_id(short_id(id)), id);
    EXPECT_EQ(full_id(id), id);
    EXPECT_LE(short_id(id).size(), id.size());
  }
  EXPECT_EQ(full_id("1x2.2x1"), "1.1.2");  // what nobody writes is understood
}

TEST(Ids, LeaveOtherTextAsItIs) {
  for (const char* text : {"", "x", "2x", "x4", "1x0", "1x-1", "3x4", "1x4x2", "1x4 ", "12", "1..2", "1.", "outlier",
                           "1x99999999", "1x100000.1", "1x99999999999999999999999", "plasma physics"})
    EXPECT_EQ(full_id(text), text);
}

}  // namespace
}  // namespace copse
