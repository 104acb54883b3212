#include "copse/io/json_value.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "copse/base/index.h"

namespace copse {
namespace {

using Json = nlohmann::json;

TEST(CheckedValue, TakesWholeNumbersInRange) {
  EXPECT_EQ(checked_value<int>(Json::parse("-5")), -5);
  EXPECT_EQ(checked_value<Index>(Json::parse("9223372036854775807")), 9223372036854775807);
  EXPECT_EQ(checked_value<std::uint64_t>(Json::parse("18446744073709551615")), 18446744073709551615u);
  EXPECT_EQ(checked_list<Index>(Json::parse("[1, 2]")), (std::vector<Index>{1, 2}));
  EXPECT_EQ(checked_value<double>(Json::parse("1e300")), 1e300);
  EXPECT_TRUE(checked_value<bool>(Json::parse("true")));
}

TEST(CheckedValue, RefusesOthers) {
  for (const char* wrong : {"1e300", "-1e300", "1.5", "9223372036854775808", "null", "\"1\"", "true", "[1]", "{}"})
    EXPECT_THROW(checked_value<Index>(Json::parse(wrong)), Json::exception) << wrong;
  EXPECT_THROW(checked_value<int>(Json::parse("2147483648")), Json::exception);
  EXPECT_THROW(checked_value<std::uint64_t>(Json::parse("-1")), Json::exception);
  EXPECT_THROW(checked_list<Index>(Json::parse("[1, 1e300]")), Json::exception);
}

}  // namespace
}  // namespace copse
