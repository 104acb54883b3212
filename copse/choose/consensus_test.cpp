#include "copse/choose/consensus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "copse/base/random.h"

namespace copse {
namespace {

struct Labelled {
  std::vector<Index> items, labels;
};

std::vector<Labelled> random_runs(Index n, Index k, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Labelled> runs(static_cast<std::size_t>(count));
  for (Labelled& run : runs) {
    for (Index j = 0; j < n; ++j) {
      if (random.uniform() < 0.3) continue;
      run.items.push_back(j);
      run.labels.push_back(random.below(k + 1) - 1);
    }
  }
  return runs;
}

TEST(Consensus, IsTheShareOfRunsThatPutTwoItemsTogether) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Index n = 23;
    const auto runs = random_runs(n, 3, 6, seed);
    std::vector<Index> watched;
    for (Index j = 0; j < n; j += seed % 2 == 0 ? 1 : 3) watched.push_back(j);
    Consensus consensus(watched);
    for (const Labelled& run : runs) consensus.add(run.items, run.labels);
    double dispersion = 0, ambiguous = 0, pairs = 0;
    for (std::size_t a = 0; a < watched.size(); ++a) {
      for (std::size_t b = 0; b < watched.size(); ++b) {
        double met = 0, together = 0;
        for (const Labelled& run : runs) {
          const auto at = [&](Index item) {
            return std::find(run.items.begin(), run.items.end(), item) - run.items.begin();
          };
          const auto i = at(watched[a]), j = at(watched[b]);
          if (i == std::ssize(run.items) || j == std::ssize(run.items)) continue;
          ++met;
          together += run.labels[i] >= 0 && run.labels[i] == run.labels[j];
        }
        const double value = a == b ? 1 : met == 0 ? 0.5 : together / met;
        EXPECT_DOUBLE_EQ(consensus.value(static_cast<Index>(a), static_cast<Index>(b)), value);
        dispersion += 4 * (value - 0.5) * (value - 0.5);
        if (a < b) {
          ++pairs;
          ambiguous += value > 0.1 && value < 0.9;
        }
      }
    }
    const ConsensusMeasures measures = consensus.measures();
    EXPECT_NEAR(measures.dispersion, dispersion / static_cast<double>(watched.size() * watched.size()), 1e-12);
    EXPECT_NEAR(measures.ambiguous, ambiguous / pairs, 1e-12);
  }
}

TEST(Consensus, IsPerfectWhereAllRunsAgree) {
  std::vector<Index> all(30), labels;
  std::iota(all.begin(), all.end(), Index(0));
  for (const Index j : all) labels.push_back(j % 3);
  Consensus consensus(all);
  for (int run = 0; run < 5; ++run) consensus.add(all, labels);
  EXPECT_DOUBLE_EQ(consensus.measures().dispersion, 1);
  EXPECT_DOUBLE_EQ(consensus.measures().ambiguous, 0);
  EXPECT_NEAR(consensus.measures().cophenetic, 1, 1e-12);
}

TEST(Consensus, OfOneItemIsPerfect) {
  Consensus consensus({4});
  consensus.add(std::vector<Index>{4}, std::vector<Index>{0});
  EXPECT_DOUBLE_EQ(consensus.measures().dispersion, 1);
  EXPECT_DOUBLE_EQ(consensus.measures().cophenetic, 1);
}

}  // namespace
}  // namespace copse
