// The building blocks: alias tables, choosing with a probability, balanced labels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "copse/generate/alias_table.h"
#include "copse/generate/planted.h"
#include "copse/generate/skips.h"

namespace copse {
namespace {

TEST(AliasTable, DrawsInProportionToTheWeights) {
  const std::vector<double> weights{3, 0, 1, 0.5, 10, 0, 2.5};
  const AliasTable table(weights);
  Random random(1);
  constexpr int draws = 400000;
  std::vector<double> hits(weights.size());
  for (int d = 0; d < draws; ++d) ++hits[table.draw(random)];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / 17;
    EXPECT_NEAR(hits[i] / draws, p, 5 * std::sqrt(p * (1 - p) / draws)) << i;
  }
}

TEST(AliasTable, HoldsOneWeight) {
  Random random(2);
  EXPECT_EQ(AliasTable(std::vector<double>{0.1}).draw(random), 0);
}

TEST(ChooseEach, ChoosesEveryCandidateWithTheProbability) {
  constexpr Index size = 40;
  constexpr int rounds = 20000;
  for (const double probability : {0.02, 0.3, 0.9}) {
    Random random(3);
    std::vector<double> hits(size), pairs(size);
    for (int r = 0; r < rounds; ++r) {
      Index last = 9;
      choose_each(10, 10 + size, probability, random, [&](Index c) {
        ASSERT_GT(c, last);
        ASSERT_LT(c, 10 + size);
        ++hits[c - 10];
        if (last == c - 1 && c > 10) ++pairs[c - 10];
        last = c;
      });
    }
    const auto tolerance = [&](double p) { return 5 * std::sqrt(p * (1 - p) / rounds); };
    for (Index c = 0; c < size; ++c) {
      EXPECT_NEAR(hits[c] / rounds, probability, tolerance(probability));
      // Neighbours are chosen independently.
      if (c > 0) {
        const double both = probability * probability;
        EXPECT_NEAR(pairs[c] / rounds, both, tolerance(both));
      }
    }
  }
}

TEST(ChooseEach, ChoosesAllOrNothingAtTheEnds) {
  Random random(4);
  int count = 0;
  choose_each(0, 100, 0, random, [&](Index) { ++count; });
  EXPECT_EQ(count, 0);
  choose_each(5, 5, 0.5, random, [&](Index) { ++count; });
  EXPECT_EQ(count, 0);
  choose_each(0, 100, 1, random, [&](Index) { ++count; });
  EXPECT_EQ(count, 100);
}

TEST(BalancedLabels, HaveEqualSizesInRandomOrder) {
  const auto labels = balanced_labels(1003, 10, 5);
  Index neighbours = 0;
  for (Index c = 0; c < 10; ++c) {
    const auto size = std::count(labels.begin(), labels.end(), c);
    EXPECT_TRUE(size == 100 || size == 101);
  }
  for (std::size_t j = 1; j < labels.size(); ++j) neighbours += labels[j] == labels[j - 1];
  EXPECT_NEAR(static_cast<double>(neighbours), 100, 50);
}

}  // namespace
}  // namespace copse
