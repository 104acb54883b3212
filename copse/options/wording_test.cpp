#include "copse/options/wording.h"

#include <gmock/gmock.h>

#include "copse/base/error.h"

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

TEST(Wording, AmountsWithUnits) {
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

}  // namespace
}  // namespace copse
