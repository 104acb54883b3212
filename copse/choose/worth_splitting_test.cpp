#include "copse/choose/worth_splitting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "copse/base/random.h"
#include "copse/choose/parts.h"
#include "copse/generate/gene_expression.h"

namespace copse {
namespace {

Dataset<double> genes(Index k, std::uint64_t seed) {
  return generate_gene_expression<double>({.k = k, .items_per_cluster = 40, .seed = seed}).data;
}

// Counts of words: each item draws 40 of 60 words with the shares of its topic.
Dataset<double> documents(Index topics, std::uint64_t seed) {
  Random random(seed);
  SparseMatrix<double> x{.rows = 60, .cols = 80};
  for (Index j = 0; j < x.cols; ++j) {
    std::vector<double> counts(60);
    for (int word = 0; word < 40; ++word) {
      const Index own = random.below(topics == 1 ? 60 : 30) + (topics == 1 ? 0 : 30 * (j % topics));
      ++counts[random.uniform() < 0.2 ? random.below(60) : own];
    }
    for (Index i = 0; i < 60; ++i) {
      if (counts[i] == 0) continue;
      x.indices.push_back(static_cast<RowIndex>(i));
      x.values.push_back(counts[i]);
    }
    x.offsets.push_back(static_cast<Index>(x.values.size()));
  }
  return {.values = std::move(x)};
}

TEST(TestSplit, SaysYesToTwoClustersAndNoToOne) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    EXPECT_TRUE(test_split(genes(2, seed), {}).worth_it) << seed;
    EXPECT_FALSE(test_split(genes(1, seed), {}).worth_it) << seed;
    EXPECT_TRUE(test_split(documents(2, seed), {}).worth_it) << seed;
    EXPECT_FALSE(test_split(documents(1, seed), {}).worth_it) << seed;
  }
}

TEST(TestSplit, DoesNotDependOnTheOrderOfItemsOrOnEmptyOnes) {
  const Dataset<double> data = documents(2, 9);
  std::vector<Index> order(80);
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::reverse(order);
  const SplitTest one = test_split(data, {}), other = test_split(part_of<double>(data, order), {});
  EXPECT_EQ(one.gain, other.gain);
  EXPECT_EQ(one.null_gain, other.null_gain);
  Dataset<double> more = data;
  auto& x = std::get<SparseMatrix<double>>(more.values);
  x.rows += 3;
  x.cols += 2;
  x.offsets.push_back(x.offsets.back());
  x.offsets.push_back(x.offsets.back());
  EXPECT_EQ(test_split(more, {}).gain, one.gain);
}

TEST(TestSplit, LeavesFewItemsEqualItemsAndNothingAlone) {
  EXPECT_FALSE(test_split(part_of<double>(genes(2, 1), std::vector<Index>{0, 1, 2, 3, 4, 5, 6}), {}).worth_it);
  EXPECT_FALSE(test_split(part_of<double>(genes(2, 1), std::vector<Index>(20, 3)), {}).worth_it);
  EXPECT_FALSE(test_split(Dataset<double>{.values = Matrix<double>(20, 20)}, {}).worth_it);
}

}  // namespace
}  // namespace copse
