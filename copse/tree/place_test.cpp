#include "copse/tree/place.h"

#include <gtest/gtest.h>

#include "copse/base/error.h"
#include "copse/generate/corpus.h"
#include "copse/tree/edit.h"

namespace copse {
namespace {

template <class T>
Dataset<T> corpus() {
  return generate_corpus<T>({.documents = 1500, .terms = 800, .k = 8, .seed = 3}).data;
}

template <class T>
class Place : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Place, Types);

TYPED_TEST(Place, TheTreesOwnItemsComeBackToTheirLeaves) {
  const Dataset<TypeParam> data = corpus<TypeParam>();
  const Tree tree = build_tree(*tree_data(data), {.leaves = 8});
  ASSERT_GE(tree.leaves, 6);
  const Placement placement = place_items(tree, data);
  const auto own = tree.partition(tree.splits());
  Index inside = 0;
  for (Index j = 0; j < data.items(); ++j) {
    EXPECT_EQ(placement.leaf[j], placement.nearest[j]);
    EXPECT_LT(tree.nodes[placement.leaf[j]].first, 0);
    EXPECT_GT(placement.weights[j], 0);
    EXPECT_LE(placement.weights[j], 1);
    if (own[j] < 0) continue;
    ++inside;
    EXPECT_EQ(placement.leaf[j], own[j]) << "item " << j;
  }
  EXPECT_GT(inside, data.items() / 2);
  // The weight is the product of the shares that building the tree has found.
  std::vector<double> weights(static_cast<std::size_t>(data.items()), 1);
  for (const auto& node : tree.nodes) {
    for (std::size_t e = 0; e < node.shares.size(); ++e) weights[node.items[e]] *= static_cast<double>(node.shares[e]);
  }
  for (Index j = 0; j < data.items(); ++j) {
    if (own[j] >= 0) {
      EXPECT_NEAR(placement.weights[j], weights[j], 1e-4);
    }
  }
}

TYPED_TEST(Place, PassesDroppedPartsBy) {
  const Dataset<TypeParam> data = corpus<TypeParam>();
  Tree tree = build_tree(*tree_data(data), {.leaves = 6});
  const Placement before = place_items(tree, data);
  const Index leaf = tree.leaf_nodes().front();
  drop(tree, leaf);
  const Placement after = place_items(tree, data);
  for (Index j = 0; j < data.items(); ++j) {
    EXPECT_NE(after.nearest[j], leaf);
    EXPECT_EQ(after.leaf[j], before.leaf[j] == leaf ? -1 : before.leaf[j]);
  }
}

TEST(PlaceItems, OneLeafTakesAll) {
  const Dataset<double> data = corpus<double>();
  const Tree tree = build_tree(*tree_data(data), {.leaves = 1});
  const Placement placement = place_items(tree, data);
  EXPECT_EQ(placement.leaf, std::vector<Index>(static_cast<std::size_t>(data.items()), 0));
}

TEST(PlaceItems, RefusesOtherFeatures) {
  const Dataset<double> data = corpus<double>();
  const Tree tree = build_tree(*tree_data(data), {.leaves = 2});
  Dataset<double> other;
  other.values = Matrix<double>(3, data.features() + 1);
  EXPECT_THROW(place_items(tree, other), InvalidArgument);
}

}  // namespace
}  // namespace copse
