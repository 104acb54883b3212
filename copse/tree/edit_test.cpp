#include "copse/tree/edit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "copse/base/error.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

struct Edit : ::testing::Test {
  SparseMatrix<float> x = testing::random_integer_sparse<float>(50, 300, 0.2, 3);
  std::unique_ptr<TreeData<float>> data = tree_data<float>(SparseView<float>(x));
  TreeOptions options{.leaves = 9, .outlier_trials = 0};
  Tree<float> tree = build_tree(*data, options);

  Tree<float> with_leaves(Index leaves) {
    TreeOptions fewer = options;
    fewer.leaves = leaves;
    return build_tree(*data, fewer);
  }
};

std::vector<std::string> ids(const Tree<float>& tree) {
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
  Tree<float> original = with_leaves(9);
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

}  // namespace
}  // namespace copse
