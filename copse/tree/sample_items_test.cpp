#include "copse/tree/sample_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/random.h"

namespace copse {
namespace {

TEST(SampleItems, DrawsOneOfEveryFewEqualItems) {
  for (const Index stride : {1, 2, 3, 8, 32}) {
    const std::vector<double> norms(3200, 0.25);
    const auto sample = sample_items(norms, stride);
    const Index size = (3200 + stride - 1) / stride;
    EXPECT_LE(static_cast<Index>(sample.items.size()), size) << stride;
    EXPECT_TRUE(std::ranges::is_sorted(sample.items));
    // The square of a factor is what the item stands for; at the end of a stretch an item may be drawn twice.
    double sum = 0;
    for (const double factor : sample.factors) {
      const double times = factor * factor * static_cast<double>(size) / 3200;
      EXPECT_TRUE(std::abs(times - 1) < 1e-9 || std::abs(times - 2) < 1e-9) << times;
      sum += factor * factor;
    }
    EXPECT_NEAR(sum, 3200, 3 * static_cast<double>(stride));
    // One of every stretch of items, wherever it begins: two neighbours are less than two stretches apart.
    for (std::size_t i = 1; i < sample.items.size(); ++i)
      EXPECT_LE(sample.items[i] - sample.items[i - 1], 2 * static_cast<RowIndex>(stride)) << stride;
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
