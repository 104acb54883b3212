#include "copse/choose/prediction_strength.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/random.h"

namespace copse {
namespace {

using Labels = std::vector<Index>;

double by_definition(const Labels& found, const Labels& predicted, Index k) {
  double least = 1;
  for (Index c = 0; c < k; ++c) {
    double pairs = 0, together = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t j = 0; j < found.size(); ++j) {
        if (i == j || found[i] != c || found[j] != c) continue;
        ++pairs;
        together += predicted[i] >= 0 && predicted[i] == predicted[j];
      }
    }
    least = std::min(least, pairs == 0 ? 0 : together / pairs);
  }
  return least;
}

TEST(PredictionStrength, IsTheLeastShareOfPairsThatStayTogether) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Index k = 1 + random.below(4);
    Labels found, predicted;
    for (Index j = 0; j < 20; ++j) {
      found.push_back(random.below(k + 1) - 1);
      predicted.push_back(random.uniform() < 0.7 ? found.back() : random.below(k + 1) - 1);
    }
    EXPECT_DOUBLE_EQ(prediction_strength(found, predicted, k), by_definition(found, predicted, k)) << seed;
  }
}

// Every cluster as many times as it weighs, in parts of 1 / (k n); the mean of the worse half of these.
double recurrence_by_definition(const Labels& found, const Labels& predicted, Index k) {
  std::vector<std::size_t> items;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] >= 0) items.push_back(i);
  }
  const auto share = [&](auto counts) {
    double pairs = 0, together = 0;
    for (const std::size_t i : items) {
      for (const std::size_t j : items) {
        if (i == j || !counts(i) || !counts(j)) continue;
        ++pairs;
        together += predicted[i] >= 0 && predicted[i] == predicted[j];
      }
    }
    return pairs == 0 ? 0 : together / pairs;
  };
  const double chance = share([](std::size_t) { return true; });
  if (items.empty() || chance == 1) return 0;
  std::vector<double> parts;
  for (Index c = 0; c < k; ++c) {
    const double beyond = (share([&](std::size_t i) { return found[i] == c; }) - chance) / (1 - chance);
    const auto size = static_cast<std::size_t>(std::ranges::count(found, c));
    parts.insert(parts.end(), size * static_cast<std::size_t>(k) + items.size(), std::max(0.0, beyond));
  }
  std::ranges::sort(parts);
  double sum = 0;
  for (std::size_t p = 0; p < parts.size() / 2; ++p) sum += parts[p];
  return sum / static_cast<double>(parts.size() / 2);
}

TEST(Recurrence, IsTheMeanOfTheWorseHalfBeyondChance) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Index k = 1 + random.below(6), n = random.below(30);
    Labels found, predicted;
    for (Index j = 0; j < n; ++j) {
      found.push_back(random.below(k + 1) - 1);
      predicted.push_back(random.uniform() < 0.7 ? found.back() : random.below(k + 1) - 1);
    }
    EXPECT_NEAR(recurrence(found, predicted, k), recurrence_by_definition(found, predicted, k), 1e-12) << seed;
  }
}

TEST(Recurrence, OfTwoClustersOfOneSizeIsThatOfTheWorse) {
  // Pairs that stay together: all of the first cluster, 2 of 6 ordered pairs of the second; 14 of 30 of all.
  EXPECT_DOUBLE_EQ(recurrence(Labels{0, 0, 0, 1, 1, 1}, Labels{1, 1, 1, 0, 0, 1}, 2), 0);
  EXPECT_DOUBLE_EQ(recurrence(Labels{0, 0, 0, 1, 1, 1}, Labels{1, 1, 1, 0, 0, 0}, 2), 1);
}

// One cluster with nearly all items: nearly all pairs stay together whatever the prediction is.
TEST(Recurrence, IsNearZeroWherePredictionsAreRandom) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Labels found, predicted;
    for (Index j = 0; j < 2000; ++j) {
      found.push_back(random.uniform() < 0.97 ? 0 : 1 + random.below(2));
      predicted.push_back(random.uniform() < 0.97 ? 0 : 1 + random.below(2));
    }
    EXPECT_GT(prediction_strength(found, predicted, 3), 0.7);
    EXPECT_LT(recurrence(found, predicted, 3), 0.1);
  }
}

// One of thirty clusters is lost: prediction strength is that of the lost one.
TEST(Recurrence, SurvivesOneLostClusterOfMany) {
  Labels found, predicted;
  for (Index j = 0; j < 300; ++j) {
    found.push_back(j % 30);
    predicted.push_back(j % 30 == 7 ? (j / 30) : j % 30);
  }
  EXPECT_LT(prediction_strength(found, predicted, 30), 0.01);
  EXPECT_GT(recurrence(found, predicted, 30), 0.85);
}

TEST(Recurrence, CountsAnEmptyClusterAsLost) {
  const Labels labels{0, 0, 0, 1, 1, 1};
  EXPECT_DOUBLE_EQ(recurrence(labels, labels, 2), 1);
  // Weights 5/6, 5/6 and 1/3, of which the empty cluster has a third of the worse half.
  EXPECT_DOUBLE_EQ(recurrence(labels, labels, 3), 2.0 / 3);
  EXPECT_DOUBLE_EQ(recurrence(Labels{0, 0}, Labels{0, 0}, 1), 0);
  EXPECT_DOUBLE_EQ(recurrence({}, {}, 2), 0);
}

TEST(PredictionStrength, DoesNotCareForNames) {
  EXPECT_DOUBLE_EQ(prediction_strength(Labels{0, 0, 1, 1}, Labels{1, 1, 0, 0}, 2), 1);
}

TEST(PredictionStrength, IsZeroWithAnEmptyClusterOrOneOfOneItem) {
  EXPECT_DOUBLE_EQ(prediction_strength(Labels{0, 0, 0, 0}, Labels{0, 0, 0, 0}, 2), 0);
  EXPECT_DOUBLE_EQ(prediction_strength(Labels{0, 0, 0, 1}, Labels{0, 0, 0, 1}, 2), 0);
  EXPECT_DOUBLE_EQ(prediction_strength({}, {}, 1), 0);
}

TEST(PredictionStrength, RefusesLabelsThatAreNone) {
  EXPECT_THROW(prediction_strength(Labels{0, 2}, Labels{0, 0}, 2), InvalidArgument);
  EXPECT_THROW(prediction_strength(Labels{0, 0}, Labels{0, -2}, 2), InvalidArgument);
  EXPECT_THROW(prediction_strength(Labels{0, 0}, Labels{0}, 2), InvalidArgument);
  EXPECT_THROW(prediction_strength(Labels{0, 0}, Labels{0, 0}, 0), InvalidArgument);
  EXPECT_THROW(recurrence(Labels{0, 0}, Labels{0, 0}, -1), InvalidArgument);
  EXPECT_THROW(recurrence(Labels{0, 2}, Labels{0, 0}, 2), InvalidArgument);
}

TEST(ReturningClusters, ShareMoreThanHalfWithAPredictedOne) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed, 3);
    const Index k = 1 + random.below(6);
    Labels found, predicted;
    for (int j = 0; j < 40; ++j) {
      found.push_back(random.below(k + 1) - 1);
      predicted.push_back(random.uniform() < 0.6 ? found.back() : random.below(k + 1) - 1);
    }
    Index count = 0;
    for (Index c = 0; c < k; ++c) {
      double best = 0;
      for (Index d = 0; d < k; ++d) {
        double both = 0, either = 0;
        for (std::size_t j = 0; j < found.size(); ++j) {
          if (found[j] < 0) continue;  // not one of the items that were clustered
          both += found[j] == c && predicted[j] == d;
          either += found[j] == c || predicted[j] == d;
        }
        best = std::max(best, either > 0 ? both / either : 0);
      }
      count += best > 0.5;
    }
    EXPECT_EQ(returning_clusters(found, predicted, k), count) << seed;
  }
  EXPECT_EQ(returning_clusters(Labels{0, 0, 1, 1}, Labels{1, 1, 0, 0}, 2), 2);  // whatever their numbers are
  EXPECT_EQ(returning_clusters(Labels{0, 0, 1, 1}, Labels{0, 0, 0, 0}, 2), 0);  // half is not more than half
  EXPECT_EQ(returning_clusters(Labels{0, 0, 0, 1}, Labels{0, 0, 0, 0}, 3), 1);
  EXPECT_EQ(returning_clusters({}, {}, 2), 0);
  EXPECT_THROW(returning_clusters(Labels{0, 2}, Labels{0, 0}, 2), InvalidArgument);
}

}  // namespace
}  // namespace copse
