// A tree that a team grows is that of one alone.
#include "copse/tree/shared_tree.h"

#include <gtest/gtest.h>

#include <cmath>

#include "copse/generate/corpus.h"
#include "copse/measure/clustering.h"
#include "copse/tree/tree.h"
#include "tests/support/blocked.h"
#include "tests/support/thread_team.h"

namespace copse {
namespace {

SparseMatrix<double> planted(Index documents, std::uint64_t seed) {
  const Planted<double> corpus =
      generate_corpus<double>({.documents = documents, .terms = 300, .k = 7, .terms_per_document = 30, .seed = seed});
  return std::get<SparseMatrix<double>>(corpus.data.values);
}

// Sums in another order: the same splits, numbers up to rounding.
void expect_near(const Tree& a, const Tree& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t n = 0; n < a.nodes.size(); ++n) {
    EXPECT_EQ(a.nodes[n].items, b.nodes[n].items);
    EXPECT_EQ(a.nodes[n].outliers, b.nodes[n].outliers);
    ASSERT_EQ(a.nodes[n].weights.size(), b.nodes[n].weights.size());
    for (std::size_t j = 0; j < a.nodes[n].weights.size(); ++j)
      ASSERT_NEAR(a.nodes[n].weights[j], b.nodes[n].weights[j], 1e-6);
    EXPECT_NEAR(a.nodes[n].squared_norm, b.nodes[n].squared_norm, 1e-9 * a.nodes[n].squared_norm);
  }
}

TEST(SharedTree, IsThatOfOneAlone) {
  for (const Index documents : {40, 500, 8100}) {
    const auto x = planted(documents, 3);
    const testing::OddBlocks<double> blocks(x, 50);
    for (const Score score : {Score::mndcg, Score::error, Score::rank1_gain}) {
      const TreeOptions options{.leaves = 7, .score = score, .tolerance = 1e-8};
      const Tree expected = build_tree(*tree_data(SparseView<double>(x)), options);
      for (const int size : {1, 2, 3}) {
        for (const double memory : {0.0, 1e9}) {
          if (documents > 40 && (size != 2 || score != Score::mndcg)) continue;
          testing::with_team(size, [&](const Team& team) {
            const auto starts = team.starts_of(x.cols, 8);
            expect_near(build_tree(*shared_tree_data<double>(blocks, memory, team, starts), options), expected);
          });
        }
      }
    }
  }
}

// Someone may have no items at all.
TEST(SharedTree, TakesMembersWithoutItems) {
  const auto x = planted(200, 5);
  const testing::OddBlocks<double> blocks(x);
  const TreeOptions options{.leaves = 4, .tolerance = 1e-8};
  const Tree expected = build_tree(*tree_data(SparseView<double>(x)), options);
  testing::with_team(3, [&](const Team& team) {
    const std::vector<Index> starts{0, 0, 200, 200};
    expect_near(build_tree(*shared_tree_data<double>(blocks, 1e9, team, starts), options), expected);
  });
}

// A wish of one stops all, after the same split.
TEST(SharedTree, StopsTogether) {
  const auto x = planted(400, 6);
  const testing::OddBlocks<double> blocks(x);
  testing::with_team(3, [&](const Team& team) {
    TreeOptions options{.leaves = 7};
    options.progress = [&](const TreeProgress& progress) { return team.rank() != 1 || progress.leaves < 4; };
    const auto tree = build_tree(*shared_tree_data<double>(blocks, 1e9, team, team.starts_of(400)), options);
    EXPECT_EQ(tree.leaves, 4);
    EXPECT_EQ(tree.stop_reason, StopReason::interrupted);
    options.progress = {};
    options.time_limit = team.rank() == 2 ? 1e-9 : 1e6;
    const auto none = build_tree(*shared_tree_data<double>(blocks, 1e9, team, team.starts_of(400)), options);
    EXPECT_EQ(none.leaves, 1);
    EXPECT_EQ(none.stop_reason, StopReason::time_limit);
  });
}

}  // namespace
}  // namespace copse
