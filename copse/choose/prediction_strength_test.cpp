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
}

}  // namespace
}  // namespace copse
