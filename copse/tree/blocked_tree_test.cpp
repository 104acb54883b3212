// A tree of items that are read in blocks is that of the same items in memory, to the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/parallel.h"
#include "copse/generate/corpus.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/streamed_data.h"
#include "copse/tree/constants.h"
#include "copse/tree/flatten.h"
#include "copse/tree/tree.h"
#include "tests/support/blocked.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

template <class T>
SparseMatrix<T> planted(Index documents, std::uint64_t seed) {
  const Planted<T> corpus =
      generate_corpus<T>({.documents = documents, .terms = 500, .k = 9, .terms_per_document = 40, .seed = seed});
  return std::get<SparseMatrix<T>>(corpus.data.values);
}

void expect_same(const Tree& a, const Tree& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t n = 0; n < a.nodes.size(); ++n) {
    EXPECT_EQ(a.nodes[n].items, b.nodes[n].items);
    EXPECT_EQ(a.nodes[n].weights, b.nodes[n].weights);
    EXPECT_EQ(a.nodes[n].outliers, b.nodes[n].outliers);
    EXPECT_EQ(a.nodes[n].topic.terms, b.nodes[n].topic.terms);
    EXPECT_EQ(a.nodes[n].topic.weights, b.nodes[n].topic.weights);
    EXPECT_TRUE(std::isnan(a.nodes[n].score) ? std::isnan(b.nodes[n].score) : a.nodes[n].score == b.nodes[n].score);
    EXPECT_EQ(a.nodes[n].squared_norm, b.nodes[n].squared_norm);
  }
  EXPECT_EQ(a.cost.iterations, b.cost.iterations);
  EXPECT_EQ(a.cost.entries_read, b.cost.entries_read);
}

template <class T>
class BlockedTree : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlockedTree, Types);

// With no memory for nodes, with some, and with enough for all.
TYPED_TEST(BlockedTree, IsTheTreeInMemory) {
  using T = TypeParam;
  for (const Index documents : {3, 60, 900}) {
    const auto x = planted<T>(documents, 3);
    const testing::OddBlocks<T> blocks(x, 11);
    for (const Score score : {Score::mndcg, Score::error, Score::rank1_gain}) {
      for (const Rank2Start start : {Rank2Start::singular, Rank2Start::random}) {
        const TreeOptions options{.leaves = 9, .score = score, .start = start, .seed = 5};
        const Tree expected = build_tree(*tree_data(SparseView<T>(x)), options);
        for (const double memory : {0.0, 60e3, 1e9}) {
          SCOPED_TRACE(::testing::Message() << documents << " documents, " << memory << " bytes");
          expect_same(build_tree(*tree_data(blocks, memory), options), expected);
        }
      }
    }
  }
}

// Large enough for samples of samples and for several threads.
TEST(BlockedTree, IsTheSameForAnyNumberOfThreads) {
  const auto x = planted<float>(9000, 4);
  const testing::OddBlocks<float> blocks(x, 200);
  const TreeOptions options{.leaves = 8};
  Tree expected;
  with_threads(1, nullptr, [&] { expected = build_tree(*tree_data(SparseView<float>(x)), options); });
  for (const double memory : {0.0, 5e5}) {
    with_threads(8, nullptr, [&] { expect_same(build_tree(*tree_data(blocks, memory), options), expected); });
  }
}

TEST(BlockedTree, ReadsLessOnceNodesFit) {
  const auto x = planted<float>(900, 3);
  const auto reads = [&](double memory) {
    const testing::OddBlocks<float> blocks(x, 11);
    build_tree(*tree_data(blocks, memory), {.leaves = 9});
    return blocks.reads();
  };
  EXPECT_LT(10 * reads(1e9), reads(0));
  // Two passes where all items fit twice: their sizes are learned, then they are kept for all nodes. A thread's part
  // may begin inside a block.
  EXPECT_LE(reads(1e9), 2 * testing::OddBlocks<float>(x, 11).blocks() + 16);
  EXPECT_LT(3 * reads(2e5), 2 * reads(0));
}

// A sample that fits is fetched in one read; where it does not, its features are counted in another, of every block
// that has an item of it. (Parts of the items are fetched at once, and two may share a block: it is read for each.)
TEST(BlockedTree, ReadsOnceForASample) {
  const auto x = planted<float>(2000, 3);
  const testing::OddBlocks<float> blocks(x, 11);
  std::vector<RowIndex> all(2000);
  std::iota(all.begin(), all.end(), RowIndex(0));
  const auto expected = tree_data(SparseView<float>(x))->cut(all)->sample(16);
  const auto reads = [&](double memory) {
    const auto data = tree_data(blocks, memory);
    const auto node = data->cut(all);
    const Index before = blocks.reads();
    const auto sample = node->sample(16);
    const Index count = blocks.reads() - before;
    EXPECT_EQ(sample->items(), expected->items());
    EXPECT_TRUE(std::ranges::equal(sample->terms(), expected->terms()));
    Matrix<float> w(static_cast<Index>(sample->terms().size()), 2);
    for (Index i = 0; i < w.rows(); ++i) w(i, 0) = static_cast<float>(i % 7), w(i, 1) = static_cast<float>(i % 5);
    Sweep<float> found, other;
    sample->sweep(w, {3, 1, 2}, found);
    expected->sweep(w, {3, 1, 2}, other);
    EXPECT_TRUE(std::ranges::equal(found.h.values(), other.h.values()));
    EXPECT_TRUE(std::ranges::equal(found.xh.values(), other.xh.values()));
    return count;
  };
  Index large = 0;  // blocks that surely have one item of sixteen
  for (Index b = 0; b < blocks.blocks(); ++b) large += blocks.first_items()[b + 1] - blocks.first_items()[b] > 50;
  EXPECT_GT(large, 10);
  const Index another = reads(30e3) - reads(100e3);
  EXPECT_GE(another, large);
  EXPECT_LE(another, blocks.blocks());
}

// Blocks of which somebody knows what a read of all would tell.
template <class T>
class KnownBlocks : public testing::OddBlocks<T> {
 public:
  KnownBlocks(const SparseMatrix<T>& x, Index step) : testing::OddBlocks<T>(x, step) {
    facts_.has_lists = true;
    facts_.counts.assign(static_cast<std::size_t>(x.rows), 0);
    for (Index j = 0; j < x.cols; ++j) {
      double square = 0;
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) {
        const double value = static_cast<double>(x.values[p]);
        square += value * value;
        facts_.largest = std::max(facts_.largest, value);
        ++facts_.counts[x.indices[p]];
      }
      facts_.sizes.push_back(static_cast<std::int32_t>(x.offsets[j + 1] - x.offsets[j]));
      facts_.squared_norms.push_back(square);
      facts_.squared_norm += square;
    }
  }
  const ItemFacts* facts() const override { return &facts_; }

 private:
  ItemFacts facts_;
};

// The reads of a split: one that counts features and fetches the samples, or none for the first where these counts are
// known, and one for each iteration; less where blocks can be kept.
TEST(BlockedTree, ReadsForIterationsAndOnceBefore) {
  const auto x = planted<float>(33000, 3);  // large enough for two samples
  ASSERT_GT(sample_strides(33000).second, 1);
  const TreeOptions options{.leaves = 3, .score = Score::error};
  const Tree expected = build_tree(*tree_data(SparseView<float>(x)), options);
  const auto reads = [&](const testing::OddBlocks<float>& blocks, double memory) {
    expect_same(build_tree(*tree_data(blocks, memory), options), expected);
    return static_cast<double>(blocks.reads()) / static_cast<double>(blocks.blocks());
  };
  // Room for the samples, which have a third of the items, twice; not for all items.
  const double items = static_cast<double>(x.nonzeros()) * (sizeof(float) + sizeof(RowIndex));
  const KnownBlocks<float> known(x, 1), more_room(x, 1);
  const testing::OddBlocks<float> unknown(x, 1);
  const double once = 16.0 / static_cast<double>(known.blocks());  // parts of a read may share a block
  const auto most = static_cast<double>(expected.cost.iterations + expected.cost.factorizations);
  const double found = reads(known, 0.7 * items);
  EXPECT_LE(found, most * (1 + once));
  // Sizes are learned in a read of their own, which keeps blocks for the next.
  EXPECT_LE(reads(unknown, 0.7 * items), (most + 1) * (1 + once));
  // Without room for the samples, every iteration on them is a read.
  const KnownBlocks<float> no_room(x, 1);
  EXPECT_GT(reads(no_room, 0), most + 10);
}

TEST(BlockedTree, KeepsBlocksWhereThereIsRoom) {
  const auto x = planted<float>(3000, 3);
  const testing::OddBlocks<float> blocks(x, 1);
  const auto data = tree_data(blocks, 0.45 * static_cast<double>(x.nonzeros()) * (sizeof(float) + sizeof(RowIndex)));
  std::vector<RowIndex> all(3000);
  std::iota(all.begin(), all.end(), RowIndex(0));
  const auto node = data->cut(all);
  const auto expected = tree_data(SparseView<float>(x))->cut(all);
  Matrix<float> w(static_cast<Index>(node->terms().size()), 2);
  for (Index i = 0; i < w.rows(); ++i) w(i, 0) = static_cast<float>(i % 7), w(i, 1) = static_cast<float>(i % 5);
  Sweep<float> found, in_memory;
  expected->sweep(w, {3, 1, 2}, in_memory);
  for (int times = 0; times < 3; ++times) {
    const Index before = blocks.reads();
    node->sweep(w, {3, 1, 2}, found);
    EXPECT_TRUE(std::ranges::equal(found.h.values(), in_memory.h.values()));
    EXPECT_TRUE(std::ranges::equal(found.xh.values(), in_memory.xh.values()));
    const double share = static_cast<double>(blocks.reads() - before) / static_cast<double>(blocks.blocks());
    EXPECT_LT(share, 0.8);  // the cut kept some
    EXPECT_GT(share, 0.3);
  }
}

TEST(BlockedTree, TakesNumbersOfAnySize) {
  for (const int exponent : {-1000, -100, 100, 1000}) {
    auto x = planted<double>(200, 6);
    for (double& value : x.values) value = std::ldexp(value, exponent);
    const testing::OddBlocks<double> blocks(x);
    expect_same(build_tree(*tree_data(blocks, 0), {.leaves = 5}),
                build_tree(*tree_data(SparseView<double>(x)), {.leaves = 5}));
  }
  auto x = planted<double>(50, 6);
  x.values[7] = std::numeric_limits<double>::infinity();
  const testing::OddBlocks<double> blocks(x);
  EXPECT_THROW(tree_data(blocks, 0), InvalidArgument);
}

// Items that have no entries, blocks that have no items, a matrix of zeros.
TEST(BlockedTree, TakesEmptyItems) {
  auto x = testing::random_integer_sparse<double>(30, 80, 0.02, 1);
  const testing::OddBlocks<double> blocks(x);
  expect_same(build_tree(*tree_data(blocks, 0), {.leaves = 6}),
              build_tree(*tree_data(SparseView<double>(x)), {.leaves = 6}));
  const auto nothing = testing::random_integer_sparse<double>(30, 80, 0, 1);
  const testing::OddBlocks<double> no_entries(nothing);
  EXPECT_EQ(build_tree(*tree_data(no_entries, 0), {.leaves = 6}).leaves, 1);
}

// All items fitted to the leaves, and the solver dc.
TEST(BlockedTree, Flattens) {
  const auto x = planted<double>(900, 3);
  const testing::OddBlocks<double> blocks(x, 11);
  const StreamedData<double> data(blocks);
  const auto memory = in_memory(SparseMatrix<double>(x));
  // A large matrix is fetched in parts, however few its topics are.
  EXPECT_EQ(items_to_fit_at_once(1000, 10'000, 2, true), items_to_fit_at_once(1000, 10'000, 2, false));
  EXPECT_EQ(items_to_fit_at_once(1'000'000, 16 * entries_at_once, 2, true), 62'500);
  EXPECT_GE(items_to_fit_at_once(1'000'000, 16 * entries_at_once, 2, false), 1'000'000);
  EXPECT_EQ(items_to_fit_at_once(2, 100 * entries_at_once, 2, true), 1);
  const Tree tree = build_tree(*tree_data(blocks, 0), {.leaves = 9});
  const Matrix<double> topics = leaf_topics(data, tree);
  const Matrix<double> found = flatten(data, topics), expected = flatten(*memory, topics);
  for (std::size_t e = 0; e < found.values().size(); ++e)
    ASSERT_NEAR(found.values()[e], expected.values()[e], 1e-9 * (1 + expected.values()[e]));
  const NmfOptions options{.rank = 5, .max_iterations = 3};
  EXPECT_NEAR(factorize_dc(data, *tree_data(blocks, 0), options).relative_error,
              factorize_dc(*memory, *tree_data(SparseView<double>(x)), options).relative_error, 1e-9);
}

}  // namespace
}  // namespace copse
