// Data multiplied by a power of two has the same tree, bit for bit.
#include "copse/tree/scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "copse/base/random.h"
#include "copse/tree/tree.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

// Two topics of large items, and a class of items that are smaller by `factor`, which has two topics of its own.
template <class T>
Matrix<T> large_and_small(double factor) {
  Matrix<T> x(160, 40);
  Random random(3);
  for (Index j = 0; j < 160; ++j) {
    for (int token = 0; token < 20; ++token)
      x(j, 10 * (j % 4) + random.below(10)) += static_cast<T>(j % 4 < 2 ? 1 : factor);
  }
  return x;
}

template <class T>
Tree build(const Matrix<T>& items, Score score, bool sparse, Index leaves = 5) {
  Matrix<T> flipped(items.cols(), items.rows());
  for (Index j = 0; j < items.rows(); ++j) {
    for (Index i = 0; i < items.cols(); ++i) flipped(i, j) = items(j, i);
  }
  const auto columns = testing::to_sparse(flipped);
  const TreeOptions options{.leaves = leaves, .score = score, .outlier_trials = 0};
  return sparse ? build_tree(*tree_data<T>(SparseView<T>(columns)), options)
                : build_tree(*tree_data<T>(items), options);
}

void expect_scaled(const Tree& a, const Tree& b, Score score, int exponent) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size()) << exponent;
  for (std::size_t n = 0; n < a.nodes.size(); ++n) {
    const auto &left = a.nodes[n], &right = b.nodes[n];
    ASSERT_EQ(left.items, right.items) << exponent;
    ASSERT_EQ(left.topic, right.topic) << exponent;
    ASSERT_EQ(left.shares, right.shares) << exponent;
    ASSERT_EQ(left.leaf, right.leaf) << exponent;
    Numbers scaled(b.precision);  // which rounds what underflows
    for (std::size_t j = 0; j < left.weights.size(); ++j) scaled.push_back(std::ldexp(left.weights[j], exponent));
    ASSERT_EQ(scaled, right.weights) << exponent;
    ASSERT_EQ(std::ldexp(left.squared_norm, 2 * exponent), right.squared_norm) << exponent;
    ASSERT_EQ(std::ldexp(left.explained, 2 * exponent), right.explained) << exponent;
    if (std::isnan(left.score) || left.leaf != Leaf::open) continue;
    ASSERT_EQ(std::ldexp(left.score, score == Score::mndcg ? 0 : 2 * exponent), right.score) << exponent;
  }
}

template <class T>
class Scaling : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Scaling, Types);

TYPED_TEST(Scaling, PowersOfTwoChangeNoBit) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const auto x = large_and_small<T>(0.125);
  for (const Score score : {Score::mndcg, Score::error, Score::rank1_gain, Score::rank2}) {
    for (const bool sparse : {true, false}) {
      const auto plain = build(x, score, sparse);
      EXPECT_EQ(plain.leaves, 5);
      for (const int exponent : {1, -3, 40, -40, Limits::max_exponent - 20, Limits::min_exponent + 20}) {
        auto scaled = x;
        for (T& value : scaled.values()) value = std::ldexp(value, exponent);
        expect_scaled(plain, build(scaled, score, sparse), score, exponent);
      }
    }
  }
}

// The small items are a node of their own in the end, and are split there as if they were large.
TYPED_TEST(Scaling, ANodeOfSmallItemsDoesNotUnderflow) {
  using T = TypeParam;
  const double least = sizeof(T) == 4 ? 1e-30 : 1e-140;
  for (const double factor : {1e-3, 1e-6, 1e-12, 1e-20, 1e-24, least}) {
    for (const bool sparse : {true, false}) {
      const auto x = large_and_small<T>(factor);
      Matrix<T> flipped(x.cols(), x.rows());
      for (Index j = 0; j < x.rows(); ++j) {
        for (Index i = 0; i < x.cols(); ++i) flipped(i, j) = x(j, i);
      }
      const auto columns = testing::to_sparse(flipped);
      const auto data = sparse ? tree_data<T>(SparseView<T>(columns)) : tree_data<T>(x);
      Tree whole;
      whole.rows = 40, whole.cols = 160, whole.leaves = 2;
      whole.nodes.resize(3);
      whole.nodes[0].first = 1, whole.nodes[0].second = 2, whole.nodes[0].split = 1;
      whole.nodes[1].parent = whole.nodes[2].parent = 0;
      for (RowIndex j = 0; j < 160; ++j) {
        whole.nodes[0].items.push_back(j);
        whole.nodes[j % 4 >= 2 ? 2 : 1].items.push_back(j);
      }
      grow(whole, 2, *data, {.leaves = 2, .outlier_trials = 0});
      ASSERT_EQ(whole.leaves, 3) << factor;
      for (const RowIndex j : whole.nodes[3].items) EXPECT_EQ(j % 4, whole.nodes[3].items[0] % 4) << factor;
      const Numbers& weights = whole.nodes[3].weights;
      for (std::size_t e = 0; e < weights.size(); ++e) EXPECT_GT(weights[e], 0) << factor;
    }
  }
}

TEST(Scaling, NumbersThatAreNotFiniteAreRefused) {
  Matrix<float> x(4, 3);
  x(1, 1) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(tree_data<float>(x), InvalidArgument);
  x(1, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(tree_data<float>(x), InvalidArgument);
}

}  // namespace
}  // namespace copse
