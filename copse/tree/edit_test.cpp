#include "copse/tree/edit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/tree/flatten.h"
#include "copse/tree/join.h"
#include "copse/tree/packed.h"
#include "copse/tree/place.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

struct Edit : ::testing::Test {
  SparseMatrix<float> x = testing::random_integer_sparse<float>(50, 300, 0.2, 3);
  std::unique_ptr<TreeData<float>> data = tree_data<float>(SparseView<float>(x));
  TreeOptions options{.leaves = 9, .outlier_trials = 0};
  Tree tree = build_tree(*data, options);

  Tree with_leaves(Index leaves) {
    TreeOptions fewer = options;
    fewer.leaves = leaves;
    return build_tree(*data, fewer);
  }
};

std::vector<std::string> ids(const Tree& tree) {
  std::vector<std::string> all;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) all.push_back(tree.id(static_cast<Index>(n)));
  return all;
}

TEST_F(Edit, CutGivesTheTreeOfFewerLeaves) {
  ASSERT_EQ(tree.leaves, 9);
  for (Index leaves = 9; leaves >= 1; --leaves) {
    cut(tree, leaves);
    const auto smaller = with_leaves(leaves);
    EXPECT_EQ(ids(tree), ids(smaller));
    EXPECT_EQ(tree.leaves, leaves);
    EXPECT_EQ(tree.partition(tree.splits()), smaller.partition(smaller.splits()));
    for (int s = 0; s < tree.splits(); ++s) EXPECT_EQ(tree.partition(s), smaller.partition(s));
  }
  EXPECT_THROW(cut(tree, 2), InvalidArgument);
  EXPECT_THROW(cut(tree, 0), InvalidArgument);
}

TEST_F(Edit, MergeAndGrowGoBackAndForth) {
  // The first child of the root with its own descendants.
  const Index node = tree.find("1");
  const auto before = ids(tree);
  Index below = 0;
  for (const Index leaf : tree.leaf_nodes()) below += tree.id(leaf).starts_with("1");
  const auto partition = tree.partition(tree.splits());
  merge(tree, node);
  EXPECT_EQ(tree.leaves, 10 - below);
  EXPECT_EQ(tree.find("1"), 1);
  EXPECT_THROW(merge(tree, tree.find("1")), InvalidArgument);
  EXPECT_THROW(tree.find("1.1"), InvalidArgument);

  TreeOptions again = options;
  again.leaves = below;
  grow(tree, tree.find("1"), *data, again);
  EXPECT_EQ(tree.leaves, 9);
  auto after = ids(tree), sorted = before;
  std::ranges::sort(after);
  std::ranges::sort(sorted);
  EXPECT_EQ(after, sorted);
  // The same clusters, whatever the nodes' numbers are.
  const auto now = tree.partition(tree.splits());
  Tree original = with_leaves(9);
  for (std::size_t j = 0; j < now.size(); ++j) EXPECT_EQ(tree.id(now[j]), original.id(partition[j]));
  EXPECT_THROW(grow(tree, tree.find("1"), *data, again), InvalidArgument);
}

TEST_F(Edit, DropSetsItemsAside) {
  const Index node = tree.find("2");
  const auto items = tree.nodes[node].items;
  drop(tree, node);
  const auto leaf = tree.partition(tree.splits());
  for (const RowIndex j : items) EXPECT_EQ(leaf[j], -1);
  EXPECT_EQ(std::ranges::count(leaf, -1), static_cast<std::ptrdiff_t>(items.size()));
  EXPECT_EQ(tree.leaves, static_cast<Index>(tree.leaf_nodes().size()));
  EXPECT_THROW(drop(tree, node), InvalidArgument);
  EXPECT_THROW(drop(tree, 0), InvalidArgument);
}

// Every split node has the items of its children and its outliers; unpack() looks.
void expect_whole(const Tree& tree) { EXPECT_NO_THROW(unpack(pack(tree))); }

TEST_F(Edit, JoinGivesTheItemsOfOneNodeToAnother) {
  const auto leaves = tree.leaf_nodes();
  Index pairs = 0;
  for (const Index a : leaves) {
    for (const Index b : leaves) {
      if (tree.nodes[a].parent == tree.nodes[b].parent) continue;
      ++pairs;
      Tree joined = tree;
      join(joined, a, b);
      expect_whole(joined);
      EXPECT_EQ(ids(joined), ids(tree));
      EXPECT_EQ(joined.leaves, 8);
      auto expected = tree.partition(tree.splits());
      std::ranges::replace(expected, b, a);
      EXPECT_EQ(joined.partition(joined.splits()), expected);
      // The tree's own items, seen again, come to the same place.
      const Dataset<float> items{.values = x};
      auto walked = place_items(tree, items).leaf;
      std::ranges::replace(walked, b, a);
      EXPECT_EQ(place_items(joined, items).leaf, walked);
      // The topic that items are fitted to has the words of both.
      const Matrix<float> before = leaf_topics<float>(tree), after = leaf_topics<float>(joined);
      ASSERT_EQ(after.cols(), 8);
      const auto column = [&](const Tree& of, Index node) {
        const auto all = of.leaf_nodes();
        return std::ranges::find(all, node) - all.begin();
      };
      const double length_a = std::sqrt(tree.nodes[a].explained), length_b = std::sqrt(tree.nodes[b].explained);
      double square = 0;
      for (Index i = 0; i < before.rows(); ++i)
        square += std::pow(length_a * before(i, column(tree, a)) + length_b * before(i, column(tree, b)), 2);
      for (Index i = 0; i < before.rows(); ++i) {
        const double sum = length_a * before(i, column(tree, a)) + length_b * before(i, column(tree, b));
        EXPECT_NEAR(after(i, column(joined, a)), sum / std::sqrt(square), 1e-6);
      }
    }
  }
  EXPECT_GT(pairs, 0);
}

TEST_F(Edit, JoinsFollowOneAnotherAndOutlastOtherChanges) {
  const auto leaves = tree.leaf_nodes();
  const auto not_beside = [&](Index a) {
    return *std::ranges::find_if(leaves, [&](Index b) {
      return tree.nodes[b].parent != tree.nodes[a].parent && !tree.nodes[b].dropped && b != a;
    });
  };
  const auto all = tree.nodes[0].items;
  const Index first = leaves.back(), second = not_beside(first);
  join(tree, second, first);
  const Index third = not_beside(second);
  join(tree, third, second);
  expect_whole(tree);
  EXPECT_EQ(joined_end(tree, first), third);
  EXPECT_EQ(joined_end(tree, third), third);
  EXPECT_EQ(tree.leaves, 7);
  EXPECT_THROW(join(tree, third, first), InvalidArgument);
  EXPECT_THROW(join(tree, first, third), InvalidArgument);
  EXPECT_THROW(join(tree, third, third), InvalidArgument);
  EXPECT_THROW(join(tree, third, tree.nodes[third].parent), InvalidArgument);
  EXPECT_THROW(join(tree, 0, third), InvalidArgument);
  const Dataset<float> items{.values = x};
  for (Index cuts = 6; cuts >= 1; --cuts) {  // a node that others point to goes away sooner or later
    cut(tree, cuts);
    expect_whole(tree);
    EXPECT_EQ(tree.nodes[0].items, all);
    for (const Index leaf : place_items(tree, items).nearest) EXPECT_LT(tree.nodes[leaf].first, 0);
  }
}

TEST_F(Edit, JoinOfTwoChildrenIsTheirParent) {
  const Index parent = tree.nodes[tree.leaf_nodes().front()].parent;
  Tree merged = tree;
  merge(merged, parent);
  join(tree, tree.nodes[parent].second, tree.nodes[parent].first);
  EXPECT_EQ(ids(tree), ids(merged));
  EXPECT_EQ(tree.partition(tree.splits()), merged.partition(merged.splits()));
}

TEST_F(Edit, JoinedNodesCanBeSplitAndDropped) {
  const auto leaves = tree.leaf_nodes();
  const Index a = leaves.front();
  const Index b = *std::ranges::find_if(leaves, [&](Index n) { return tree.nodes[n].parent != tree.nodes[a].parent; });
  join(tree, a, b);
  Tree split = tree;
  TreeOptions two = options;
  two.leaves = 2;
  grow(split, a, *data, two);
  ASSERT_EQ(split.leaves, 9);
  expect_whole(split);
  const Dataset<float> items{.values = x};
  for (const Index leaf : place_items(split, items).leaf) EXPECT_TRUE(leaf >= 0 && split.nodes[leaf].first < 0);
  drop(tree, a);
  expect_whole(tree);
  // Who came to b went on to a: both are gone now.
  const Tree again = build_tree(*this->data, options);
  const auto before = place_items(again, items).leaf, after = place_items(tree, items).leaf;
  for (std::size_t j = 0; j < before.size(); ++j)
    EXPECT_EQ(after[j], before[j] == a || before[j] == b ? -1 : before[j]);
}

}  // namespace
}  // namespace copse
