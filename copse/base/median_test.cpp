#include "copse/base/median.h"

#include <gtest/gtest.h>

#include <vector>

namespace copse {
namespace {

double median_of(std::vector<double> values) { return median<double>(values); }

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoThere) {
  EXPECT_EQ(median_of({}), 0);
  EXPECT_EQ(median_of({3}), 3);
  EXPECT_EQ(median_of({5, 1}), 3);
  EXPECT_EQ(median_of({9, 1, 4}), 4);
  EXPECT_EQ(median_of({10, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_of({2, 2, 2, 7, 1, 2}), 2);
}

// As many values lie above it as below.
TEST(Median, HalvesTheValues) {
  for (std::size_t count = 1; count < 40; ++count) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<double>((i * 37 + 11) % 101));
    const double found = median_of(values);
    EXPECT_EQ(std::ranges::count_if(values, [&](double value) { return value < found; }),
              std::ranges::count_if(values, [&](double value) { return value > found; }));
  }
}

}  // namespace
}  // namespace copse
