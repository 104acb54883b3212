// Items prepared in blocks are those that prepare() makes of all at once.
#include "copse/prepare/prepared_blocks.h"

#include <gtest/gtest.h>

#include <limits>

#include "copse/base/error.h"
#include "copse/generate/corpus.h"
#include "copse/kernels/streamed_data.h"
#include "tests/support/blocked.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

template <class T>
SparseMatrix<T> all_of(const BlockedItems<T>& blocks) {
  std::vector<Index> items;
  for (Index j = 0; j < blocks.cols(); ++j) items.push_back(j);
  return select_items(blocks, std::span<const Index>(items));
}

std::vector<PrepareOptions> many_options() {
  std::vector<PrepareOptions> all{{}, text_preparation()};
  for (const Weighting weighting : {Weighting::none, Weighting::tf_idf, Weighting::smooth_tf_idf, Weighting::log_tf_idf,
                                    Weighting::log, Weighting::text}) {
    for (const bool flag : {false, true}) {
      all.push_back({.min_feature_total = flag ? 6.0 : 0.0,
                     .min_item_total = flag ? 40.0 : 0.0,
                     .drop_empty = flag,
                     .weighting = weighting,
                     .feature_scaling = flag ? FeatureScaling::max : FeatureScaling::deviation,
                     .unit_items = true,
                     .normalized_cut = flag});
      all.push_back({.drop_empty = true, .weighting = weighting, .unit_items = flag});
    }
  }
  return all;
}

TEST(PreparedBlocks, AreWhatIsPreparedInMemory) {
  auto counts = std::get<SparseMatrix<double>>(
      generate_corpus<double>({.documents = 300, .terms = 200, .k = 4, .terms_per_document = 20, .counts = true})
          .data.values);
  counts.values[5] = 0;     // stored, though it is zero
  counts.values[9] = 2000;  // beyond the table of logarithms
  counts.values[10] = 0.5;
  const testing::OddBlocks<double> blocks(counts);
  for (const PrepareOptions& options : many_options()) {
    Dataset<double> memory{counts};
    const PrepareReport expected = prepare(memory, options);
    const PreparedBlocks<double> found(blocks, options);
    const PrepareReport& report = found.report();
    EXPECT_EQ(report.kept_features, expected.kept_features);
    EXPECT_EQ(report.kept_items, expected.kept_items);
    EXPECT_EQ(report.rare_features + report.empty_features, expected.rare_features + expected.empty_features);
    EXPECT_EQ(report.short_items + report.empty_items, expected.short_items + expected.empty_items);
    ASSERT_EQ(report.feature_factors.size(), expected.feature_factors.size());
    for (std::size_t i = 0; i < report.feature_factors.size(); ++i)
      ASSERT_NEAR(report.feature_factors[i], expected.feature_factors[i], 1e-12 * expected.feature_factors[i]);
    ASSERT_EQ(report.feature_totals.size(), expected.feature_totals.size());
    for (std::size_t i = 0; i < report.feature_totals.size(); ++i)
      ASSERT_NEAR(report.feature_totals[i], expected.feature_totals[i], 1e-12 * expected.feature_totals[i]);
    SparseMatrix<double> wanted = std::get<SparseMatrix<double>>(memory.values);
    const SparseMatrix<double> values = all_of(found);
    ASSERT_EQ(values.offsets, wanted.offsets);
    ASSERT_EQ(values.indices, wanted.indices);
    double largest = 0;
    for (std::size_t e = 0; e < values.values.size(); ++e) {
      ASSERT_NEAR(values.values[e], wanted.values[e], 1e-12 * wanted.values[e]);
      largest = std::max(largest, values.values[e]);
    }
    EXPECT_EQ(found.largest(), largest);
    EXPECT_EQ(found.nonzeros(), values.nonzeros());
  }
}

TEST(PreparedBlocks, KeepsShortItemsAside) {
  const auto x = testing::random_integer_sparse<float>(50, 200, 0.05, 3);
  const testing::OddBlocks<float> blocks(x);
  PreparedBlocks<float> prepared(blocks, {.min_item_total = 9});
  std::vector<Index> expected;
  for (Index j = 0; j < x.cols; ++j) {
    float total = 0;
    for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) total += x.values[p];
    if (total > 0 && total < 9) expected.push_back(j);
  }
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(prepared.short_items(), expected);
  EXPECT_EQ(prepared.short_entries(), select_columns<float>(x, expected));
}

TEST(PreparedBlocks, RefusesWhatItCannotDo) {
  auto x = testing::random_integer_sparse<float>(50, 200, 0.05, 3);
  const testing::OddBlocks<float> blocks(x);
  EXPECT_THROW(PreparedBlocks<float>(blocks, {.drop_duplicates = true}), InvalidArgument);
  x.values[100] = -1;
  EXPECT_THROW(PreparedBlocks<float>(blocks, {}), InvalidArgument);
  x.values[100] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(PreparedBlocks<float>(blocks, {}), InvalidArgument);
}

// Where nothing is asked for, one read tells all, and still sees what is wrong.
// What the last read tells of the items is what their entries say, prepared or not.
TEST(PreparedBlocks, TellsOfItsItems) {
  auto x = testing::random_integer_sparse<double>(40, 90, 0.1, 4);
  x.values[3] = 0;  // a zero that is stored
  const testing::OddBlocks<double> blocks(x);
  for (const PrepareOptions& options :
       {PrepareOptions{}, PrepareOptions{.min_item_total = 4, .weighting = Weighting::tf_idf, .unit_items = true}}) {
    std::vector<Index> entries(static_cast<std::size_t>(blocks.blocks()), -1);
    const PreparedBlocks<double> prepared(blocks, options,
                                          {.lists = true, .also = [&](Index block, const SparseView<double>& view) {
                                             entries[static_cast<std::size_t>(block)] = view.nonzeros();
                                           }});
    const ItemFacts& facts = *prepared.facts();
    ASSERT_TRUE(facts.has_lists);
    std::vector<std::int32_t> counts(static_cast<std::size_t>(prepared.rows()), 0);
    double sum = 0, largest = 0;
    SparseMatrix<double> block;
    for (Index b = 0; b < prepared.blocks(); ++b) {
      prepared.read(b, block);
      EXPECT_EQ(entries[static_cast<std::size_t>(b)], block.nonzeros());
      for (Index j = 0; j < block.cols; ++j) {
        double square = 0;
        for (Index p = block.offsets[j]; p < block.offsets[j + 1]; ++p) {
          square += block.values[p] * block.values[p];
          largest = std::max(largest, block.values[p]);
          ++counts[block.indices[p]];
        }
        const auto item = static_cast<std::size_t>(prepared.first_items()[b] + j);
        EXPECT_EQ(facts.squared_norms[item], square);
        EXPECT_EQ(facts.sizes[item], block.offsets[j + 1] - block.offsets[j]);
        sum += square;
      }
    }
    EXPECT_EQ(facts.counts, counts);
    EXPECT_EQ(facts.largest, largest);
    EXPECT_NEAR(facts.squared_norm, sum, 1e-12 * sum);
    EXPECT_EQ(facts.sizes.size(), static_cast<std::size_t>(prepared.cols()));
  }
  EXPECT_FALSE(PreparedBlocks<double>(blocks, {}).facts()->has_lists);
}

TEST(PreparedBlocks, ReadsOnceWhereNothingIsAskedFor) {
  auto x = testing::random_integer_sparse<double>(40, 300, 0.1, 2);
  const testing::OddBlocks<double> blocks(x);
  const PreparedBlocks<double> prepared(blocks, {});
  EXPECT_EQ(blocks.reads(), blocks.blocks());
  EXPECT_EQ(prepared.nonzeros(), x.nonzeros());
  EXPECT_EQ(prepared.largest(), *std::ranges::max_element(x.values));
  x.values[50] = -1;
  EXPECT_THROW(PreparedBlocks<double>(blocks, {}), InvalidArgument);
  x.values[50] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(PreparedBlocks<double>(blocks, {}), InvalidArgument);
}

}  // namespace
}  // namespace copse
