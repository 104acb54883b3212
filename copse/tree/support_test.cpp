#include "copse/tree/support.h"

#include <gtest/gtest.h>

#include <cmath>

#include "copse/base/random.h"
#include "tests/support/nodes.h"

namespace copse {
namespace {

// Items in rows: `first` items of features 0 to 9 and `second` items of features 10 to 19.
Matrix<double> two_groups(Index first, Index second, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> x(first + second, 20);
  for (Index j = 0; j < x.rows(); ++j) {
    for (Index i = 0; i < 10; ++i) x(j, (j < first ? 0 : 10) + i) = 1 + 0.5 * random.uniform();
  }
  return x;
}

// Both topics in the first group: one for its odd features, one for its even ones, with the exact H.
Rank2Result<double> stuck_in_the_first_group(const NodeData<double>& node, const Matrix<double>& x, Index first) {
  Rank2Result<double> factors;
  factors.w = Matrix<double>(20, 2);
  for (Index i = 0; i < 10; ++i) factors.w(i, i % 2) = 1 / std::sqrt(5.0);
  factors.h = Matrix<double>(node.items(), 2);
  for (Index j = 0; j < first; ++j) {
    for (Index i = 0; i < 10; ++i) factors.h(j, i % 2) += std::ldexp(x(j, i), -node.exponent()) / std::sqrt(5.0);
    factors.fitted += factors.h(j, 0) * factors.h(j, 0) + factors.h(j, 1) * factors.h(j, 1);
  }
  return factors;
}

TEST(Support, ATopicThatWasLeftOutTakesThePlaceOfTheLesserOne) {
  for (const auto& [first, second] : {std::pair<Index, Index>{50, 50}, {20, 70}, {70, 60}}) {
    const auto x = two_groups(first, second, 3);
    const auto all = tree_data<double>(x);
    const auto node = all->cut(testing::all_items(*all));
    double entries = 0;
    const auto w = supported_start(*node, stuck_in_the_first_group(*node, x, first), entries);
    ASSERT_TRUE(w);
    EXPECT_GT(entries, 0);
    // One column is of the second group alone.
    for (Index c = 0; c < 2; ++c) {
      double square = 0;
      for (Index i = 0; i < 20; ++i) square += (*w)(i, c) * (*w)(i, c);
      EXPECT_NEAR(square, 1, 1e-9);
    }
    const Index fresh = (*w)(10, 0) > 0 ? 0 : 1;
    for (Index i = 0; i < 20; ++i) EXPECT_EQ((*w)(i, fresh) > 0, i >= 10);
    for (Index i = 10; i < 20; ++i) EXPECT_EQ((*w)(i, 1 - fresh), 0);
  }
}

TEST(Support, FewItemsOrScatteredOnesChangeNothing) {
  // The second group has less to explain than either topic of the first.
  const auto x = two_groups(50, 10, 3);
  const auto all = tree_data<double>(x);
  const auto node = all->cut(testing::all_items(*all));
  double entries = 0;
  EXPECT_FALSE(supported_start(*node, stuck_in_the_first_group(*node, x, 50), entries));

  // Items of one feature each have a large norm together, and no topic.
  Matrix<double> scattered(160, 130);
  for (Index j = 0; j < 160; ++j) scattered(j, j < 40 ? j % 2 : 10 + j - 40) = 1;
  const auto others = tree_data<double>(scattered);
  const auto part = others->cut(testing::all_items(*others));
  Rank2Result<double> factors;
  factors.w = Matrix<double>(130, 2);
  factors.h = Matrix<double>(160, 2);
  factors.w(0, 0) = factors.w(1, 1) = 1;
  for (Index j = 0; j < 40; ++j) factors.h(j, j % 2) = 1;
  factors.fitted = 40;
  EXPECT_FALSE(supported_start(*part, factors, entries));
}

// Items without entries have no support, and need none.
TEST(Support, EmptyItemsChangeNothing) {
  Matrix<double> x = two_groups(30, 30, 3);
  for (Index j = 30; j < 60; ++j) std::ranges::fill(x.row(j), 0.0);
  const auto all = tree_data<double>(x);
  const auto node = all->cut(testing::all_items(*all));
  double entries = 0;
  EXPECT_FALSE(supported_start(*node, stuck_in_the_first_group(*node, x, 30), entries));
}

}  // namespace
}  // namespace copse
