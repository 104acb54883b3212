#include "copse/tree/sample_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/random.h"
#include "copse/tree/constants.h"

namespace copse {
namespace {

TEST(SampleItems, DrawsOneOfEveryFewEqualItems) {
  for (const Index stride : {1, 2, 3, 8, 32}) {
    const std::vector<double> norms(3200, 0.25);
    const auto sample = sample_items(norms, stride);
    const Index size = (3200 + stride - 1) / stride;
    EXPECT_EQ(static_cast<Index>(sample.items.size()), size) << stride;
    EXPECT_TRUE(std::ranges::is_sorted(sample.items));
    // The square of a factor is what the item stands for: all the same, and nearly 3200 in all.
    double sum = 0;
    for (const double factor : sample.factors) {
      EXPECT_EQ(factor, sample.factors[0]);
      sum += factor * factor;
    }
    EXPECT_NEAR(sum, 3200, 4 * 3200 / std::sqrt(static_cast<double>(size)));
  }
}

// On average over the numbers that items may have, what stands for the items is the items: sum f_j^2 q_j for any group.
// Exactly so where no two items are neighbours; the even draw of neighbours costs a little.
TEST(SampleItems, StandsForAllOnAverage) {
  Random random(5);
  std::vector<double> norms;
  for (int j = 0; j < 60; ++j) norms.push_back(std::pow(random.uniform(), -2.0));
  const auto group = [&](Index j) { return j % 3 == 1; };
  double expected = 0;
  for (Index j = 0; j < 60; ++j) expected += group(j) ? norms[j] : 0;
  for (const RowIndex apart : {RowIndex(1), static_cast<RowIndex>(items_of_stretch)}) {
    double mean = 0, square = 0;
    constexpr int draws = 4000;
    for (int draw = 0; draw < draws; ++draw) {
      std::vector<RowIndex> numbers;
      for (RowIndex j = 0; j < 60; ++j) numbers.push_back(apart * (60 * static_cast<RowIndex>(draw) + j));
      const auto sample = sample_items(norms, 4, numbers);
      ASSERT_EQ(sample.items.size(), 15u);
      double sum = 0;
      for (std::size_t i = 0; i < sample.items.size(); ++i)
        sum += group(sample.items[i]) ? sample.factors[i] * sample.factors[i] * norms[sample.items[i]] : 0;
      mean += sum / draws, square += sum * sum / draws;
    }
    EXPECT_NEAR(mean, expected, apart == 1 ? 0.01 * expected : 4 * std::sqrt((square - mean * mean) / draws));
  }
}

// One item less, anywhere, and the sample is another by no more than one item: that which takes the free place.
TEST(SampleItems, OneItemLessChangesOneItem) {
  Random random(6);
  std::vector<double> norms;
  std::vector<RowIndex> numbers;
  for (RowIndex j = 0; j < 2000; ++j) norms.push_back(0.1 + random.uniform()), numbers.push_back(3 * j + 1);
  const auto drawn = [&] {
    std::vector<RowIndex> items;
    for (const RowIndex j : sample_items(norms, 8, numbers).items) items.push_back(numbers[j]);
    return items;
  };
  const auto before = drawn();
  for (const std::size_t less : {0, 1, 700, 1999}) {
    const auto all_norms = norms;
    const auto all_numbers = numbers;
    norms.erase(norms.begin() + static_cast<Index>(less));
    numbers.erase(numbers.begin() + static_cast<Index>(less));
    std::vector<RowIndex> others;
    std::ranges::set_symmetric_difference(before, drawn(), std::back_inserter(others));
    EXPECT_LE(others.size(), 2u);
    norms = all_norms, numbers = all_numbers;
  }
}

// A class that comes at fixed intervals has its share of the sample, whatever the interval is.
TEST(SampleItems, NoPeriodMatters) {
  const Index count = 24000;
  const std::vector<double> norms(count, 1);
  for (const Index stride : {2, 3, 4, 8, 12, 16, 32}) {
    const auto sample = sample_items(norms, stride);
    const auto size = static_cast<double>(sample.items.size());
    for (const Index period : {2, 3, 4, 8, 16, 32, 64}) {
      for (const Index phase : {Index(0), period - 1}) {
        const auto hits = std::ranges::count_if(sample.items, [&](RowIndex j) { return j % period == phase; });
        const double share = 1 / static_cast<double>(period), spread = std::sqrt(size * share * (1 - share));
        EXPECT_NEAR(static_cast<double>(hits), size * share, 4.5 * spread) << stride << ' ' << period;
      }
    }
  }
}

TEST(SampleItems, TakesHeavyItemsForCertainAndKeepsTheSum) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    Random random(seed);
    std::vector<double> norms;
    double total = 0;
    for (int j = 0; j < 5000; ++j) {
      norms.push_back(j % 10 == 0 ? 0 : std::pow(random.uniform(), -2 / 1.2));  // squares of a Pareto law
      total += norms.back();
    }
    const auto sample = sample_items(norms, 10);
    EXPECT_NEAR(static_cast<double>(sample.items.size()), 500, 25);
    double sum = 0, lightest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < sample.items.size(); ++i) {
      EXPECT_GT(norms[sample.items[i]], 0);
      EXPECT_GE(sample.factors[i], 1);
      sum += sample.factors[i] * sample.factors[i] * norms[sample.items[i]];
      if (sample.factors[i] == 1) lightest = std::min(lightest, norms[sample.items[i]]);
    }
    EXPECT_NEAR(sum, total, 0.01 * total);
    // No item is left out that is heavier than one that was certain.
    for (std::size_t j = 0; j < norms.size(); ++j) {
      EXPECT_TRUE(norms[j] < lightest || std::ranges::binary_search(sample.items, static_cast<RowIndex>(j)));
    }
  }
}

TEST(SampleItems, FewItemsAreAllTaken) {
  std::vector<double> norms(1000, 0);
  EXPECT_TRUE(sample_items(norms, 4).items.empty());
  for (const int j : {3, 500, 999}) norms[j] = 1 + j;
  const auto sample = sample_items(norms, 4);
  EXPECT_EQ(sample.items, (std::vector<RowIndex>{3, 500, 999}));
  EXPECT_EQ(sample.factors, (std::vector<double>{1, 1, 1}));
}

}  // namespace
}  // namespace copse
