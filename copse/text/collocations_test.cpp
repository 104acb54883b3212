#include "copse/text/collocations.h"

#include <gtest/gtest.h>

#include <cmath>

namespace copse {
namespace {

// G^2 = 2 sum over the four cells of observed log(observed / expected).
double direct_ratio(double both, double first, double second, double total) {
  const double rows[] = {first, total - first}, columns[] = {second, total - second};
  const double observed[] = {both, first - both, second - both, total - first - second + both};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    const double expected = rows[i / 2] * columns[i % 2] / total;
    if (observed[i] > 0) sum += observed[i] * std::log(observed[i] / expected);
  }
  return 2 * sum;
}

TEST(Collocations, TheRatioIsThatOfTheFourCells) {
  for (const auto& [both, first, second, total] :
       {PairCounts{10, 20, 30, 1000}, PairCounts{5, 5, 5, 100}, PairCounts{1, 50, 60, 500}, PairCounts{0, 5, 5, 50}})
    EXPECT_NEAR(log_likelihood_ratio({both, first, second, total}), direct_ratio(both, first, second, total), 1e-8);
  EXPECT_NEAR(log_likelihood_ratio({6, 20, 30, 100}), 0, 1e-9);  // exactly as often as by chance
}

TEST(Collocations, InformationIsOneForWordsThatAreNeverApart) {
  EXPECT_NEAR(normalized_information({7, 7, 7, 1000}), 1, 1e-12);
  EXPECT_NEAR(normalized_information({6, 20, 30, 100}), 0, 1e-12);
  EXPECT_LT(normalized_information({1, 100, 100, 1000}), 0);
  EXPECT_EQ(normalized_information({5, 5, 5, 5}), 1);
}

}  // namespace
}  // namespace copse
