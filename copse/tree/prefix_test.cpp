// A small tree is the beginning of a larger one, for every score.
#include <gtest/gtest.h>

#include <cmath>

#include "copse/base/random.h"
#include "copse/tree/tree.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

// Counts of documents whose lengths have heavy tails: a Pareto law with exponent 1.2.
SparseMatrix<float> heavy_tailed_counts(Index documents, Index topics, std::uint64_t seed) {
  constexpr Index words_per_topic = 25, common = 50;
  Matrix<float> x(words_per_topic * topics + common, documents);
  for (Index j = 0; j < documents; ++j) {
    Random random(seed, static_cast<std::uint64_t>(j));
    const double length = std::min(2000.0, 10 * std::pow(1 - random.uniform(), -1 / 1.2));
    const Index topic = random.below(topics), other = random.below(topics);
    for (int token = 0; token < static_cast<int>(length); ++token) {
      const double source = random.uniform();
      Index word = words_per_topic * topic + std::min(random.below(words_per_topic), random.below(words_per_topic));
      if (source < 0.3) word = words_per_topic * topics + random.below(common);
      if (source > 0.85) word = words_per_topic * other + random.below(words_per_topic);
      x(word, j) += 1;
    }
  }
  return testing::to_sparse(x);
}

void expect_beginning(const Tree& tree, const Tree& larger, const std::string& called) {
  ASSERT_LE(tree.leaves, larger.leaves) << called;
  for (int splits = 0; splits <= tree.splits(); ++splits)
    ASSERT_EQ(tree.partition(splits), larger.partition(splits)) << called << ", split " << splits;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) ASSERT_EQ(tree.nodes[n].topic, larger.nodes[n].topic) << called;
}

void check_beginnings(const SparseMatrix<float>& x, TreeOptions options, const std::string& called) {
  const auto data = tree_data<float>(SparseView<float>(x));
  options.leaves = 20;
  const auto larger = build_tree(*data, options);
  for (const Index leaves : {2, 5, 8, 12}) {
    options.leaves = leaves;
    const auto tree = build_tree(*data, options);
    EXPECT_EQ(tree.leaves, std::min(leaves, larger.leaves)) << called;
    expect_beginning(tree, larger, called + ", " + std::to_string(leaves) + " leaves");
    const auto cut = larger.beginning(leaves);
    ASSERT_EQ(cut.leaves, tree.leaves) << called;
    ASSERT_EQ(cut.leaf_nodes(), tree.leaf_nodes()) << called;
    expect_beginning(cut, tree, called + ", cut to " + std::to_string(leaves));
  }
}

TEST(Prefix, OfCountsWithHeavyTailsByError) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    check_beginnings(heavy_tailed_counts(6000, 10, seed), {.score = Score::error, .outlier_trials = 0},
                     "seed " + std::to_string(seed));
  }
}

TEST(Prefix, ForEveryScorePickAndNumberOfTrials) {
  for (const Score score : {Score::mndcg, Score::error, Score::rank1_gain, Score::fit, Score::rank1, Score::rank2}) {
    for (const Pick pick : {Pick::score, Pick::size}) {
      for (const int trials : {0, 3}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          check_beginnings(heavy_tailed_counts(seed == 1 ? 1500 : 300, 8, 40 + seed),
                           {.score = score, .pick = pick, .outlier_trials = trials},
                           "score " + std::to_string(static_cast<int>(score)) + ", pick " +
                               std::to_string(static_cast<int>(pick)) + ", trials " + std::to_string(trials) +
                               ", seed " + std::to_string(seed));
        }
      }
    }
  }
}

}  // namespace
}  // namespace copse
