#include "copse/io/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "copse/base/random.h"

namespace copse {
namespace {

template <class T>
T parsed(const std::string& text) {
  T value = 0;
  const char* end = parse_number(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(end, text.data() + text.size()) << text;
  return value;
}

template <class T>
bool refused(const std::string& text) {
  T value = 0;
  return parse_number(text.data(), text.data() + text.size(), value) == nullptr;
}

// The C library rounds correctly, too.
TEST(ParseNumber, RoundsAsTheCLibraryDoes) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (Index d = random.below(12); d >= 0; --d) text += static_cast<char>('0' + random.below(10));
    if (random.below(3) > 0) text += '.';
    for (Index d = random.below(12); d > 0; --d) text += static_cast<char>('0' + random.below(10));
    if (text.find('.') == std::string::npos && random.below(2) > 0) text += "e" + std::to_string(random.below(80) - 40);
    EXPECT_EQ(parsed<double>(text), std::strtod(text.c_str(), nullptr)) << text;
    EXPECT_EQ(parsed<float>(text), std::strtof(text.c_str(), nullptr)) << text;
  }
}

// 1 + 2^-24 lies between two floats and rounds to even; a little more rounds up, though as a double it is the same.
TEST(ParseNumber, DoesNotRoundTwice) {
  EXPECT_EQ(parsed<float>("1.000000059604644775390625"), 1.0F);
  EXPECT_EQ(parsed<float>("1.00000005960464478"), std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(parsed<float>("16777217"), 16777216.0F);
  // Few digits, on the fast way: the nearest double is the middle between two floats, the number itself is not.
  for (const char* text : {"1.00000661611557", "1.00001460313797", "1.00002783536911", "1.00003319978714"}) {
    const float nearest = std::strtof(text, nullptr);
    EXPECT_EQ(parsed<float>(text), nearest) << text;
    EXPECT_NE(static_cast<float>(std::strtod(text, nullptr)), nearest) << text << " does not need the guard";
  }
  EXPECT_EQ(parsed<float>("0.000000000000001"), 1e-15F);
}

TEST(ParseNumber, KnowsTheEndsOfTheRange) {
  EXPECT_EQ(parsed<double>("1e-400"), 0);
  EXPECT_EQ(parsed<double>("1e400"), INFINITY);
  EXPECT_EQ(parsed<double>("-1e400"), -INFINITY);
  EXPECT_EQ(parsed<float>("1e-60"), 0);
  EXPECT_EQ(parsed<float>("1e39"), INFINITY);
  EXPECT_EQ(parsed<float>("999999999999999999999999999999999999999999"), INFINITY);
  EXPECT_EQ(parsed<double>("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(parsed<double>("1" + std::string(400, '0') + "e-395"), 1e5);
  EXPECT_EQ(parsed<double>("1" + std::string(4000, '0') + "e-5"), INFINITY);
  EXPECT_EQ(parsed<double>("1e99999999999999999999999"), INFINITY);
  EXPECT_EQ(parsed<double>("1e-99999999999999999999999"), 0);
  EXPECT_EQ(parsed<double>("0e99999999999999999999999"), 0);
  EXPECT_TRUE(std::isnan(parsed<double>("nan")));
  EXPECT_EQ(parsed<double>("Inf"), INFINITY);
}

TEST(ParseNumber, RefusesWhatIsNone) {
  for (const char* text : {"", "+", "-", ".", "e5", "x", "+-1", "--1"}) EXPECT_TRUE(refused<double>(text)) << text;
}

TEST(ParseIndex, StaysBelowTwoToThe31) {
  Index value = 0;
  const std::string most = "2147483647", more = "2147483648", huge(100, '9'), none = "x";
  EXPECT_EQ(parse_index(most.data(), most.data() + most.size(), value), most.data() + most.size());
  EXPECT_EQ(value, 2147483647);
  for (const std::string& text : {more, huge, none})
    EXPECT_EQ(parse_index(text.data(), text.data() + text.size(), value), nullptr);
}

}  // namespace
}  // namespace copse
