#include "copse/tree/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/tree/flatten.h"
#include "copse/tree/trial_split.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::to_sparse;

// Documents of `topics` topics with 20 words each, a few common words, and words of another topic here and there;
// every 40th document is made of rare words of its own.
Matrix<double> planted_groups(Index documents, Index topics, std::uint64_t seed) {
  const Index words = 20 * topics + 30;
  Matrix<double> x(words, documents);
  Random random(seed);
  for (Index j = 0; j < documents; ++j) {
    const Index topic = j % topics;
    for (int token = 0; token < 40; ++token) {
      const double kind = random.uniform();
      Index word = 20 * topics + random.below(10);
      if (kind < 0.7) word = 20 * topic + std::min(random.below(20), random.below(20));
      if (kind > 0.9) word = 20 * random.below(topics) + random.below(20);
      if (j % 40 == 39) word = 20 * topics + 10 + random.below(20);
      x(word, j) += 1;
    }
    double norm = 0;
    for (Index i = 0; i < words; ++i) norm += x(i, j) * x(i, j);
    for (Index i = 0; i < words; ++i) x(i, j) /= std::sqrt(norm);
  }
  return x;
}

template <class T>
SparseMatrix<T> as(const Matrix<double>& x) {
  Matrix<T> copy(x.rows(), x.cols());
  for (std::size_t e = 0; e < x.values().size(); ++e) copy.values()[e] = static_cast<T>(x.values()[e]);
  return to_sparse(copy);
}

template <class T>
Tree build(const SparseMatrix<T>& x, const TreeOptions& options) {
  return build_tree(*tree_data<T>(SparseView<T>(x)), options);
}

// Every item is in exactly one leaf or outlier set, children partition their parent, numbers are consistent.
void check(const Tree& tree, Index leaves) {
  EXPECT_LE(tree.leaves, leaves);
  EXPECT_EQ(static_cast<Index>(tree.leaf_nodes().size()), tree.leaves);
  EXPECT_EQ(static_cast<Index>(tree.nodes.size()), 2 * tree.leaves - 1);
  std::set<std::string> ids;
  for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n) {
    const auto& node = tree.nodes[n];
    EXPECT_TRUE(ids.insert(tree.id(n)).second);
    EXPECT_FALSE(node.items.empty());
    EXPECT_TRUE(std::ranges::is_sorted(node.items));
    if (n > 0) {
      EXPECT_EQ(node.weights.size(), node.items.size());
      EXPECT_EQ(node.shares.size(), node.items.size());
      for (std::size_t e = 0; e < node.shares.size(); ++e) EXPECT_TRUE(node.shares[e] >= 0.5 && node.shares[e] <= 1);
      EXPECT_LE(node.explained, node.squared_norm * 1.0001);
    }
    if (node.first < 0) {
      EXPECT_TRUE(node.outliers.empty());
      EXPECT_EQ(node.split, 0);
      continue;
    }
    const auto &first = tree.nodes[node.first], &second = tree.nodes[node.second];
    EXPECT_GE(first.items.size(), second.items.size());
    std::vector<RowIndex> all = node.outliers;
    all.insert(all.end(), first.items.begin(), first.items.end());
    all.insert(all.end(), second.items.begin(), second.items.end());
    std::ranges::sort(all);
    EXPECT_EQ(all, node.items);
  }
  // Nested partitions: one more cluster with every split, and a split touches one cluster only.
  for (int s = 1; s <= tree.splits(); ++s) {
    const auto before = tree.partition(s - 1), after = tree.partition(s);
    std::set<Index> changed;
    for (std::size_t j = 0; j < before.size(); ++j) {
      if (before[j] != after[j]) changed.insert(before[j]);
    }
    EXPECT_EQ(changed.size(), 1u);
  }
}

void expect_equal(const Tree& a, const Tree& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t n = 0; n < a.nodes.size(); ++n) {
    EXPECT_EQ(a.nodes[n].items, b.nodes[n].items);
    EXPECT_EQ(a.nodes[n].weights, b.nodes[n].weights);
    EXPECT_EQ(a.nodes[n].shares, b.nodes[n].shares);
    EXPECT_EQ(a.nodes[n].outliers, b.nodes[n].outliers);
    EXPECT_EQ(a.nodes[n].topic, b.nodes[n].topic);
    EXPECT_TRUE(a.nodes[n].score == b.nodes[n].score || (std::isnan(a.nodes[n].score) && std::isnan(b.nodes[n].score)));
  }
}

TEST(Tree, FindsPlantedTopics) {
  for (const std::uint64_t seed : {4, 5, 6, 7}) {
    for (const auto& [score, topics] : {std::pair<Score, Index>{Score::error, 6}, {Score::mndcg, 4}}) {
      const auto x = as<float>(planted_groups(600, topics, seed));
      const auto tree = build(x, {.leaves = topics, .score = score});
      check(tree, topics);
      ASSERT_EQ(tree.leaves, topics);
      // Nearly all ordinary documents of a topic are in one leaf, and each topic has its own.
      const auto leaf = tree.partition(tree.splits());
      std::set<Index> used;
      for (Index topic = 0; topic < topics; ++topic) {
        std::map<Index, int> counts;
        int documents = 0;
        for (Index j = topic; j < 600; j += topics) {
          if (j % 40 != 39) ++counts[leaf[j]], ++documents;
        }
        const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
        EXPECT_GE(most->second, 0.95 * documents) << "topic " << topic << " of " << topics << ", seed " << seed;
        used.insert(most->first);
      }
      EXPECT_EQ(static_cast<Index>(used.size()), topics);
    }
  }
}

TEST(Tree, ItemsWithoutTheWordsOfANodeGoToItsLargerSide) {
  // 30 documents of one topic, 20 of another, 3 empty ones: not a word, and both coefficients zero.
  Matrix<double> x(8, 53);
  for (Index j = 0; j < 50; ++j) {
    for (Index i = 0; i < 4; ++i) x(j % 5 < 3 ? i : 4 + i, j) = static_cast<double>(1 + (i + j) % 3);
  }
  const auto tree = build(as<float>(x), {.leaves = 2});
  check(tree, 2);
  ASSERT_EQ(tree.leaves, 2);
  EXPECT_EQ(tree.nodes[1].items.size(), 33u);
  EXPECT_EQ(std::vector<RowIndex>(tree.nodes[1].items.end() - 3, tree.nodes[1].items.end()),
            (std::vector<RowIndex>{50, 51, 52}));
  for (std::size_t j = 30; j < 33; ++j) EXPECT_EQ(tree.nodes[1].shares[j], 0.5f);
}

TEST(Tree, EveryScoreAndPickGivesAValidTree) {
  const auto x = as<float>(planted_groups(300, 5, 6));
  for (const Score score : {Score::mndcg, Score::error, Score::rank1_gain, Score::fit, Score::rank1, Score::rank2}) {
    for (const Pick pick : {Pick::score, Pick::size}) {
      for (const int trials : {0, 3}) {
        const auto tree = build(x, {.leaves = 8, .score = score, .pick = pick, .outlier_trials = trials});
        check(tree, 8);
        EXPECT_GE(tree.leaves, 5);
      }
    }
  }
}

// Of nodes that are sure to be split the sides are scored ahead. The tree must not show it, nor may the work grow.
TEST(Tree, LargeNodesAreScoredAhead) {
  const auto x = as<float>(planted_groups(6000, 12, 1));
  const auto tree = build(x, {.leaves = 40, .score = Score::error, .outlier_trials = 0});
  check(tree, 40);
  ASSERT_GE(tree.leaves, 12);
  EXPECT_LE(tree.cost.factorizations, 2 * tree.leaves - 1);
  // Here none is sure to be split.
  const auto fewer = build(x, {.leaves = 6, .score = Score::error, .outlier_trials = 0});
  EXPECT_EQ(tree.partition(5), fewer.partition(5));
}

// Every split sets one more item apart: a node is then followed by one that is hardly smaller, and so on.
TEST(Tree, NoMoreIsScoredAheadThanIsSplit) {
  const Index documents = 400;
  Matrix<double> x(documents + 1, documents);
  for (Index j = 0; j < documents; ++j) x(j, j) = static_cast<double>(documents - j), x(documents, j) = 1;
  const auto tree = build(as<float>(x), {.leaves = 10, .score = Score::error, .outlier_trials = 0});
  check(tree, 10);
  EXPECT_LE(tree.cost.factorizations, 2 * tree.leaves - 1);
}

TEST(Tree, SameBitsForAnyNumberOfThreads) {
  const auto x = as<float>(planted_groups(2000, 7, 5));
  Tree first;
  for (const int threads : {1, 2, 3, 8}) {
    with_threads(threads, nullptr, [&] {
      auto tree = build(x, {.leaves = 12, .seed = 2});
      if (threads == 1) first = tree;
      expect_equal(first, tree);
    });
  }
}

// Remembers the factorizations of a run and can forget those after the first few.
class Memory : public SplitMemory<float> {
 public:
  bool recall(std::uint64_t key, Rank2Result<float>& result) override {
    const auto found = results_.find(key);
    if (found == results_.end()) return false;
    ++recalled;
    result = found->second;
    return true;
  }
  void record(std::uint64_t key, const Rank2Result<float>& result) override {
    EXPECT_TRUE(results_.emplace(key, result).second) << "nothing is factored twice";
    order_.push_back(key);
  }
  void keep(std::size_t count) {
    while (order_.size() > count) {
      results_.erase(order_.back());
      order_.pop_back();
    }
    recalled = 0;
  }
  std::size_t size() const { return order_.size(); }
  std::size_t recalled = 0;

 private:
  std::map<std::uint64_t, Rank2Result<float>> results_;
  std::vector<std::uint64_t> order_;
};

TEST(Tree, AResumedRunHasTheSameBits) {
  const auto x = as<float>(planted_groups(400, 6, 5));
  const auto data = tree_data<float>(SparseView<float>(x));
  const TreeOptions options{.leaves = 9, .seed = 2};
  with_threads(1, nullptr, [&] {
    Memory memory;
    const auto whole = build_tree<float>(*data, options, &memory);
    for (std::size_t kept = memory.size() + 1; kept-- > 0;) {
      memory.keep(kept);
      expect_equal(whole, build_tree<float>(*data, options, &memory));
      EXPECT_EQ(memory.recalled, kept);
    }
  });
}

TEST(Tree, RemembersTheSidesOfEveryOutlierTrial) {
  // Six documents of the same other words are set aside, after the larger and the smaller side of that trial were
  // scored; then the sides of the second trial are.
  Matrix<double> x(30, 106);
  Random random(4);
  for (Index j = 0; j < 106; ++j) {
    for (int token = 0; token < 30; ++token) {
      if (j >= 100)
        x(20 + token % 10, j) += 20;
      else
        x(10 * (j % 2) + random.below(10), j) += 1;
    }
  }
  const auto sparse = as<float>(x);
  const auto data = tree_data<float>(SparseView<float>(sparse));
  const TreeOptions options{.leaves = 4};
  Memory memory;
  Tree tree;
  with_threads(1, nullptr, [&] { tree = build_tree<float>(*data, options, &memory); });
  EXPECT_EQ(tree.nodes[0].outliers.size(), 6u);
  EXPECT_GT(tree.leaves, 2);
  EXPECT_EQ(memory.recalled, 0u);
  expect_equal(tree, build(sparse, options));
}

TEST(Tree, RemembersNothingOfANodeThatNumbersItsFeaturesOtherwise) {
  const auto x = as<float>(planted_groups(400, 6, 5));
  const auto data = tree_data<float>(SparseView<float>(x));
  std::vector<RowIndex> items(400);
  std::iota(items.begin(), items.end(), 0);
  PartOfNode<float> part{data->cut(items), std::vector<char>(400, 1)};
  std::fill_n(part.kept.begin(), 40, char(0));
  items.erase(items.begin(), items.begin() + 40);
  ASSERT_FALSE(std::ranges::equal(part.node->terms(), data->cut(items)->terms()));
  Memory memory;
  TreeCost cost;
  try_split<float>(*data, items, std::move(part), 1, {}, &memory, cost);
  ASSERT_EQ(memory.size(), 1u);
  const auto again = try_split<float>(*data, items, {}, 1, {}, &memory, cost);
  const auto alone = try_split<float>(*data, items, {}, 1, {}, nullptr, cost);
  for (int side = 0; side < 2; ++side) {
    EXPECT_EQ(again.sides[side].items, alone.sides[side].items);
    EXPECT_EQ(again.sides[side].topic, alone.sides[side].topic);
  }
}

// Two clear topics of 50 documents and three documents of other words, and room for more of both.
Matrix<double> two_topics_and_outliers(Index words = 30, Index documents = 103) {
  Matrix<double> x(words, documents);
  Random random(3);
  for (Index j = 0; j < 103; ++j) {
    const Index from = j >= 100 ? 20 : j % 2 == 0 ? 0 : 10;
    for (int token = 0; token < 30; ++token) x(from + random.below(10), j) += j >= 100 ? 20 : 1;
  }
  return x;
}

TEST(Tree, OutliersAreSetAside) {
  // The root's first splits take the three documents away.
  const auto x = two_topics_and_outliers();
  const auto tree = build(as<double>(x), {.leaves = 2});
  check(tree, 2);
  EXPECT_EQ(tree.nodes[0].outliers, (std::vector<RowIndex>{100, 101, 102}));
  ASSERT_EQ(tree.leaves, 2);
  for (const RowIndex j : tree.nodes[1].items) EXPECT_EQ(j % 2, tree.nodes[1].items[0] % 2);
}

TEST(Tree, OutliersOfAllTrialsAreGivenBack) {
  // Alone and beside 1000 documents of one more word. One trial only sets a few outliers aside.
  Matrix<double> x = two_topics_and_outliers(31, 1103);
  for (Index j = 103; j < 1103; ++j) x(30, j) = 1;
  const TreeOptions options{.leaves = 2, .outlier_trials = 1};

  // A large node is split all the same.
  const auto large = build(as<double>(two_topics_and_outliers()), options);
  check(large, 2);
  EXPECT_EQ(large.leaves, 2);
  EXPECT_TRUE(large.nodes[0].outliers.empty());

  // A small one stays a leaf for good.
  Tree tree;
  tree.rows = 31, tree.cols = 1103, tree.leaves = 2;
  tree.nodes.resize(3);
  tree.nodes[0].first = 1, tree.nodes[0].second = 2, tree.nodes[0].split = 1;
  tree.nodes[1].parent = tree.nodes[2].parent = 0;
  for (RowIndex j = 0; j < 1103; ++j) {
    tree.nodes[0].items.push_back(j);
    tree.nodes[j < 103 ? 2 : 1].items.push_back(j);
  }
  const auto sparse = as<double>(x);
  grow(tree, 2, *tree_data<double>(SparseView<double>(sparse)), options);
  EXPECT_EQ(tree.leaves, 2);
  EXPECT_EQ(tree.nodes[2].items.size(), 103u);
  EXPECT_EQ(tree.nodes[2].leaf, Leaf::only_outliers);
  EXPECT_EQ(tree.nodes[2].score, -1);
  // The rest of the tree stays as it is, with no score where it had none.
  EXPECT_TRUE(std::isnan(tree.nodes[1].score));
  EXPECT_EQ(tree.nodes[1].leaf, Leaf::open);
}

TEST(Tree, OnlyRandomStartsFollowTheSeed) {
  const auto x = planted_groups(200, 5, 3);
  const auto topics = [&](Rank2Start start, std::uint64_t seed) {
    const auto tree = build(as<float>(x), {.leaves = 5, .start = start, .seed = seed});
    check(tree, 5);
    return leaf_topics<float>(tree);
  };
  EXPECT_EQ(topics(Rank2Start::singular, 1), topics(Rank2Start::singular, 2));
  EXPECT_EQ(topics(Rank2Start::random, 1), topics(Rank2Start::random, 1));
  EXPECT_NE(topics(Rank2Start::random, 1), topics(Rank2Start::random, 2));
}

TEST(Tree, DegenerateData) {
  const auto leaves_of = [](const Matrix<double>& x, Index leaves, Score score = Score::mndcg) {
    const auto tree = build(as<float>(x), {.leaves = leaves, .score = score});
    check(tree, leaves);
    return tree.leaves;
  };
  Matrix<double> identical(5, 40), one(5, 1), two(5, 2), rank1(6, 30), empty(4, 10), gaps(8, 50);
  for (Index j = 0; j < 40; ++j) identical(1, j) = 1, identical(3, j) = 2;
  one(2, 0) = 1;
  two(0, 0) = two(3, 1) = 1;
  for (Index j = 0; j < 30; ++j) {
    for (Index i = 0; i < 6; ++i) rank1(i, j) = static_cast<double>((i + 1) * (j + 1));
  }
  for (Index j = 0; j < 50; ++j) {
    if (j % 7 != 0) gaps(j % 2 == 0 ? 1 : 5, j) = 1, gaps(j % 2 == 0 ? 2 : 6, j) = 0.5;
  }
  for (const Score score : {Score::mndcg, Score::error, Score::rank1_gain, Score::fit, Score::rank1, Score::rank2}) {
    EXPECT_EQ(leaves_of(identical, 4, score), 1);
    EXPECT_EQ(leaves_of(one, 3, score), 1);
    EXPECT_EQ(leaves_of(rank1, 5, score), 1);
    EXPECT_EQ(leaves_of(empty, 3, score), 1);
    EXPECT_GE(leaves_of(gaps, 2, score), 2);
    EXPECT_LE(leaves_of(planted_groups(5, 2, 1), 40, score), 5);
  }
  EXPECT_LE(leaves_of(two, 9), 2);
  EXPECT_EQ(leaves_of(gaps, 1), 1);
  // No score can exceed 1.
  const auto tree = build(as<float>(planted_groups(100, 4, 2)), {.leaves = 5, .min_score = 1});
  EXPECT_EQ(tree.leaves, 2);
  EXPECT_THROW(build(as<float>(two), {.leaves = 0}), InvalidArgument);
  EXPECT_THROW(build(as<float>(Matrix<double>(0, 0)), {.leaves = 2}), InvalidArgument);
}

// What is asked before a split is what the leaf holds, and a leaf that is not worth it stays one.
TEST(Tree, SplitsOnlyWhatIsWorthIt) {
  const auto x = as<double>(planted_groups(200, 5, 3));
  TreeOptions options{.leaves = 8};
  std::vector<std::vector<RowIndex>> asked;
  options.worth_splitting = [&](std::span<const RowIndex> items) {
    asked.emplace_back(items.begin(), items.end());
    return items.size() > 60;
  };
  const Tree tree = build(x, options);
  ASSERT_GT(tree.leaves, 1);
  EXPECT_EQ(asked.front().size(), 200u);
  Index inner = 0;
  for (const TreeNode& node : tree.nodes) {
    inner += node.first >= 0;
    EXPECT_EQ(node.first >= 0, node.items.size() > 60 && node.leaf == Leaf::open) << node.items.size();
    if (node.leaf == Leaf::not_worth_it) {
      EXPECT_NE(std::ranges::find(asked, node.items), asked.end());
    }
  }
  EXPECT_EQ(tree.leaves, inner + 1);
  options.worth_splitting = [](std::span<const RowIndex>) { return false; };
  EXPECT_EQ(build(x, options).leaves, 1);
}

}  // namespace
}  // namespace copse
