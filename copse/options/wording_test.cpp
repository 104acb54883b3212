#include "copse/options/wording.h"

#include <gmock/gmock.h>

namespace copse {
namespace {

TEST(Wording, NumbersAsPeopleReadThem) {
  EXPECT_EQ(counted(0), "0");
  EXPECT_EQ(counted(999), "999");
  EXPECT_EQ(counted(1000), "1,000");
  EXPECT_EQ(counted(-1234567), "-1,234,567");
  EXPECT_EQ(counted(1, "item"), "1 item");
  EXPECT_EQ(counted(2000, "item"), "2,000 items");
  EXPECT_EQ(in_bytes(999), "999 bytes");
  EXPECT_EQ(in_bytes(1200), "1.2 kB");
  EXPECT_EQ(in_bytes(999.9e6), "1.0 GB");
  EXPECT_EQ(in_bytes(45e6), "45 MB");
  EXPECT_EQ(in_seconds(0.0123), "0.012 s");
  EXPECT_EQ(in_seconds(61.4), "61 s");
  EXPECT_EQ(in_seconds(200), "3 min 20 s");
  EXPECT_EQ(in_seconds(7500), "2 h 5 min");
}

TEST(Wording, ListsComeApartWhereTheyWereJoined) {
  EXPECT_THAT(split("a,b,,c", ','), ::testing::ElementsAre("a", "b", "c"));
  EXPECT_THAT(split("", ','), ::testing::IsEmpty());
  EXPECT_EQ(joined(split("english,french", ','), ","), "english,french");
}

}  // namespace
}  // namespace copse
