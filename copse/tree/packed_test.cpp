// A tree comes back from its arrays as it was, and arrays that are not those of a tree are refused.
#include "copse/tree/packed.h"

#include <gmock/gmock.h>

#include <limits>

#include "copse/base/error.h"
#include "copse/generate/corpus.h"
#include "copse/tree/join.h"

namespace copse {
namespace {

Tree small_tree() {
  const auto corpus =
      generate_corpus<float>({.documents = 300, .terms = 200, .k = 5, .terms_per_document = 20, .seed = 1});
  Tree tree = build_tree(*tree_data(corpus.data), {.leaves = 5});
  tree.nodes[1].name = "a name";
  return tree;
}

TEST(PackedTree, ComesBackAsItWas) {
  const Tree tree = small_tree(), again = unpack(pack(tree));
  ASSERT_GT(tree.nodes.size(), 4u);
  ASSERT_EQ(again.nodes.size(), tree.nodes.size());
  EXPECT_EQ(again.rows, tree.rows);
  EXPECT_EQ(again.cols, tree.cols);
  EXPECT_EQ(again.leaves, tree.leaves);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const TreeNode &a = tree.nodes[n], &b = again.nodes[n];
    EXPECT_EQ(b.parent, a.parent);
    EXPECT_EQ(b.first, a.first);
    EXPECT_EQ(b.second, a.second);
    EXPECT_EQ(b.items, a.items);
    EXPECT_EQ(b.weights, a.weights);
    EXPECT_EQ(b.shares, a.shares);
    EXPECT_EQ(b.outliers, a.outliers);
    EXPECT_EQ(b.topic, a.topic);
    EXPECT_THAT(b.score, ::testing::NanSensitiveDoubleEq(a.score));
    EXPECT_EQ(b.squared_norm, a.squared_norm);
    EXPECT_EQ(b.explained, a.explained);
    EXPECT_EQ(b.leaf, a.leaf);
    EXPECT_EQ(b.split, a.split);
    EXPECT_EQ(b.name, a.name);
    EXPECT_EQ(b.dropped, a.dropped);
  }
}

TEST(PackedTree, RefusesWhatIsNotATree) {
  const PackedTree good = pack(small_tree());
  const auto refused = [&](const auto& damage) {
    PackedTree bad = good;
    damage(bad);
    EXPECT_THROW(unpack(bad), InputError);
  };
  refused([](auto& bad) { bad.shape.pop_back(); });
  refused([](auto& bad) { bad.shape[0] = 1; });
  refused([](auto& bad) { bad.shape[1] = 1; });
  refused([](auto& bad) { bad.shape[2] += 1; });
  refused([](auto& bad) { bad.nodes.clear(); });
  refused([](auto& bad) { bad.nodes.pop_back(); });
  refused([](auto& bad) { bad.nodes[0] = 0; });     // the root below itself
  refused([](auto& bad) { bad.nodes[1] = 1000; });  // a child that is not there
  refused([](auto& bad) { bad.nodes[1] = std::numeric_limits<std::int64_t>::max(); });
  refused([](auto& bad) { bad.nodes[1] = -1; });       // one child only
  refused([](auto& bad) { bad.nodes[10] = 1; });       // a node that is its own parent
  refused([](auto& bad) { bad.nodes[6] = -1; });       // fewer than no items
  refused([](auto& bad) { bad.nodes[6] = 1 << 20; });  // more items than there are
  refused([](auto& bad) { bad.items[0] = -1; });
  refused([](auto& bad) { bad.items[0] = std::int64_t(1) << 40; });  // 0, if it were cut to 32 bits
  refused([](auto& bad) { bad.shape[0] = std::int64_t(1) << 40; });
  refused([](auto& bad) { std::swap(bad.items[0], bad.items[1]); });
  refused([](auto& bad) { bad.items.back() = bad.items.front(); });  // not one of its parent's
  refused([](auto& bad) { bad.nodes[4] = 2; });                      // two splits with a number
  refused([](auto& bad) { bad.nodes[4] = 1 << 30; });
  refused([](auto& bad) { bad.nodes[14] = 1 << 30; });
  refused([](auto& bad) { bad.nodes[5] = 1; });  // dropped, but split
  const Index last = static_cast<Index>(good.nodes.size()) - 10;
  refused([&](auto& bad) { bad.nodes[last + 5] = 2; });  // its items are with the root, and here
  refused([](auto& bad) { bad.weights.set(0, -1); });
  refused([](auto& bad) { bad.shares.set(0, std::numeric_limits<double>::quiet_NaN()); });
  refused([](auto& bad) { bad.scores[1] = std::numeric_limits<double>::infinity(); });
  refused([](auto& bad) { bad.nodes[17] = 0; });  // a node without weights
  refused([](auto& bad) { bad.terms.pop_back(); });
  refused([](auto& bad) { bad.scores.pop_back(); });
  refused([](auto& bad) { bad.names.pop_back(); });
}

TEST(PackedTree, RefusesNodesThatWereJoinedInACircle) {
  Tree tree = small_tree();
  const auto leaves = tree.leaf_nodes();
  const Index a = leaves.front();
  const Index b = *std::ranges::find_if(leaves, [&](Index n) { return tree.nodes[n].parent != tree.nodes[a].parent; });
  join(tree, a, b);
  EXPECT_EQ(unpack(pack(tree)).nodes[b].joined, a);
  for (const Index wrong : {b, tree.nodes[b].parent, Index(0), static_cast<Index>(tree.nodes.size())}) {
    tree.nodes[b].joined = wrong;
    EXPECT_THROW(unpack(pack(tree)), InputError) << wrong;
  }
}

}  // namespace
}  // namespace copse
