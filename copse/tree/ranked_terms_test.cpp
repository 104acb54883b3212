#include "copse/tree/ranked_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "copse/base/random.h"

namespace copse {
namespace {

TEST(RankedTerms, HeaviestFirstAndEqualWeightsByNumber) {
  Matrix<float> w(7, 2);
  const std::vector<RowIndex> terms{40, 7, 3, 12, 5, 900, 0};
  const std::vector<float> weights{0.5f, 0.25f, 0.25f, 0, 0.75f, 0.25f, 5e-9f};
  for (Index i = 0; i < w.rows(); ++i) w(i, 1) = weights[i];
  const RankedTerms topic = rank_terms(w, 1, terms);
  EXPECT_EQ(topic.terms, (std::vector<RowIndex>{5, 40, 3, 7, 900}));
  EXPECT_EQ(topic.weights, (std::vector<float>{0.75f, 0.5f, 0.25f, 0.25f, 0.25f}));
  EXPECT_TRUE(rank_terms(w, 0, terms).terms.empty());
}

// Weights of every size, in steps down to the last bit, against the sort that the definition asks for.
template <class T>
void expect_sorted() {
  const Index rows = 3000;
  Random random(3);
  Matrix<T> w(rows, 2);
  std::vector<RowIndex> terms;
  std::vector<std::pair<T, RowIndex>> expected;
  for (Index i = 0; i < rows; ++i) {
    terms.push_back(static_cast<RowIndex>((7 * i) % rows));  // a permutation
    T weight = static_cast<T>(std::exp(-22 * random.uniform()));
    if (i % 3 == 1) weight = std::nextafter(w(i - 1, 0), T(1));
    if (i % 30 == 2) weight = w(i - 2, 0);
    w(i, 0) = weight;
    if (weight > static_cast<T>(no_weight)) expected.push_back({-weight, terms.back()});
  }
  std::ranges::sort(expected);
  const RankedTerms topic = rank_terms(w, 0, terms);
  ASSERT_EQ(topic.terms.size(), expected.size());
  for (std::size_t r = 0; r < expected.size(); ++r) {
    EXPECT_EQ(topic.terms[r], expected[r].second);
    EXPECT_EQ(topic.weights[r], -expected[r].first);
  }
}

TEST(RankedTerms, AreSortedToTheLastBit) {
  expect_sorted<float>();
  expect_sorted<double>();
}

}  // namespace
}  // namespace copse
