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
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::to_sparse;

// Documents of `topics` topics with 20 words each, a few common words, and words of another topic here and there;
// every 40th document is made of rare words of its own.
Matrix<double> planted(Index documents, Index topics, std::uint64_t seed) {
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
Tree<T> build(const SparseMatrix<T>& x, const TreeOptions& options) {
  return build_tree(*tree_data<T>(SparseView<T>(x)), options);
}

// Every item is in exactly one leaf or outlier set, children partition their parent, numbers are consistent.
template <class T>
void check(const Tree<T>& tree, Index leaves) {
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
      for (const T share : node.shares) EXPECT_TRUE(share >= T(0.5) && share <= T(1));
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

template <class T>
void expect_equal(const Tree<T>& a, const Tree<T>& b) {
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
  const auto x = as<float>(planted(400, 4, 4));
  const auto tree = build(x, {.leaves = 4});
  check(tree, 4);
  ASSERT_EQ(tree.leaves, 4);
  // Nearly all ordinary documents of a topic are in one leaf, and each topic has its own.
  const auto leaf = tree.partition(tree.splits());
  std::set<Index> used;
  for (Index topic = 0; topic < 4; ++topic) {
    std::map<Index, int> counts;
    for (Index j = topic; j < 400; j += 4) {
      if (j % 40 != 39) ++counts[leaf[j]];
    }
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    EXPECT_GE(most->second, 85) << topic;
    used.insert(most->first);
  }
  EXPECT_EQ(used.size(), 4u);
}

TEST(Tree, EveryScoreAndPickGivesAValidTree) {
  const auto x = as<float>(planted(300, 5, 6));
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

TEST(Tree, SameBitsForAnyNumberOfThreads) {
  const auto x = as<float>(planted(2000, 7, 5));
  Tree<float> first;
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
  const auto x = as<float>(planted(400, 6, 5));
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

TEST(Tree, OutliersAreSetAsideAndGivenBack) {
  // Two clear topics and three documents of other words: the root's first split takes those away.
  Matrix<double> x(30, 103);
  Random random(3);
  for (Index j = 0; j < 103; ++j) {
    const Index from = j >= 100 ? 20 : j % 2 == 0 ? 0 : 10;
    for (int token = 0; token < 30; ++token) x(from + random.below(10), j) += j >= 100 ? 20 : 1;
  }
  const auto tree = build(as<double>(x), {.leaves = 2});
  check(tree, 2);
  EXPECT_EQ(tree.nodes[0].outliers, (std::vector<RowIndex>{100, 101, 102}));
  ASSERT_EQ(tree.leaves, 2);
  for (const RowIndex j : tree.nodes[1].items) EXPECT_EQ(j % 2, tree.nodes[1].items[0] % 2);
  // One trial is not enough: the outliers are given back and the root stays a leaf.
  const auto whole = build(as<double>(x), {.leaves = 2, .outlier_trials = 1});
  EXPECT_EQ(whole.leaves, 1);
  EXPECT_EQ(whole.nodes[0].items.size(), 103u);
  EXPECT_EQ(whole.nodes[0].leaf, Leaf::only_outliers);
  EXPECT_EQ(whole.nodes[0].score, -1);
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
    EXPECT_LE(leaves_of(planted(5, 2, 1), 40, score), 5);
  }
  EXPECT_LE(leaves_of(two, 9), 2);
  EXPECT_EQ(leaves_of(gaps, 1), 1);
  // No score can exceed 1.
  const auto tree = build(as<float>(planted(100, 4, 2)), {.leaves = 5, .min_score = 1});
  EXPECT_EQ(tree.leaves, 2);
  EXPECT_THROW(build(as<float>(two), {.leaves = 0}), InvalidArgument);
  EXPECT_THROW(build(as<float>(Matrix<double>(0, 0)), {.leaves = 2}), InvalidArgument);
}

}  // namespace
}  // namespace copse
