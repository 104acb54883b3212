#include "copse/tree/ranked_terms.h"

#include <gtest/gtest.h>

#include <vector>

namespace copse {
namespace {

TEST(RankedTerms, HeaviestFirstAndEqualWeightsByNumber) {
  Matrix<float> w(7, 2);
  const std::vector<RowIndex> terms{40, 7, 3, 12, 5, 900, 0};
  const std::vector<float> weights{0.5f, 0.25f, 0.25f, 0, 0.75f, 0.25f, 5e-9f};
  for (Index i = 0; i < w.rows(); ++i) w(i, 1) = weights[i];
  const RankedTerms<float> topic = rank_terms(w, 1, terms);
  EXPECT_EQ(topic.terms, (std::vector<RowIndex>{5, 40, 3, 7, 900}));
  EXPECT_EQ(topic.weights, (std::vector<float>{0.75f, 0.5f, 0.25f, 0.25f, 0.25f}));
  EXPECT_TRUE(rank_terms(w, 0, terms).terms.empty());
}

}  // namespace
}  // namespace copse
