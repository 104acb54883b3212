#include "copse/tree/node_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "copse/base/random.h"
#include "copse/kernels/gram.h"
#include "copse/nnls/nnls.h"
#include "copse/tree/pair_rows.h"
#include "tests/support/naive.h"
#include "tests/support/nodes.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::all_items;
using testing::columns;
using testing::random_integer_sparse;
using testing::to_dense;

// Small integers, some negative, so that sums are exact.
Matrix<double> random_integers(Index rows, std::uint64_t seed) {
  Matrix<double> v(rows, 2);
  Random random(seed);
  for (double& value : v.values()) value = static_cast<double>(random.below(9)) - 4;
  return v;
}

TEST(NodeData, SweepEqualsTheNaiveProducts) {
  struct Shape {
    RowIndex rows, cols;
    double density;
  };
  for (auto [rows, cols, density] : {Shape{1, 1, 1}, Shape{30, 7, 0.3}, Shape{50, 400, 0.02}, Shape{300, 3000, 0.2}}) {
    const auto sparse = random_integer_sparse<double>(rows, cols, density, 3);
    const auto x = tree_data<double>(SparseView<double>(sparse));
    std::vector<RowIndex> items;
    for (RowIndex j = 0; j < cols; j += 1 + j % 2) items.push_back(j);
    const auto node = x->cut(items);
    const auto dense = to_dense(sparse);
    const auto part = columns<double>(dense, items, *node);
    ASSERT_EQ(node->items(), part.cols());
    // No feature without an entry is kept, and none with one is lost.
    double kept = 0, total = 0;
    for (const double value : part.values()) kept += value;
    for (const RowIndex j : items) {
      for (Index i = 0; i < dense.rows(); ++i) total += dense(i, j);
    }
    EXPECT_EQ(std::ldexp(kept, node->exponent()), total);
    for (Index i = 0; i < part.rows(); ++i) EXPECT_GT(std::reduce(part.row(i).begin(), part.row(i).end()), 0);

    const auto w = testing::random_dense<double>(part.rows(), 2, 5);
    Sweep<double> sweep;
    node->sweep(w, pair_gram(w), sweep);
    Matrix<double> h;
    solve_rank2(gram(w), testing::naive::transpose_times(part, w), h);
    const auto xh = testing::naive::times(part, h);
    const auto hh = gram(h);
    for (Index j = 0; j < h.rows(); ++j) {
      for (Index c = 0; c < 2; ++c) ASSERT_NEAR(sweep.h(j, c), h(j, c), 1e-9 * (1 + h(j, c)));
    }
    for (Index i = 0; i < xh.rows(); ++i) {
      for (Index c = 0; c < 2; ++c) ASSERT_NEAR(sweep.xh(i, c), xh(i, c), 1e-9 * (1 + xh(i, c)));
    }
    EXPECT_NEAR(sweep.hh.a, hh(0, 0), 1e-9 * hh(0, 0));
    EXPECT_NEAR(sweep.hh.b, hh(0, 1), 1e-9 * (1 + hh(0, 1)));
    EXPECT_NEAR(sweep.hh.c, hh(1, 1), 1e-9 * (1 + hh(1, 1)));
    EXPECT_NEAR(sweep.fitted, dot(testing::naive::transpose_times(part, w), h), 1e-9 * sweep.fitted);
  }
}

TEST(NodeData, DenseAndSparseAgree) {
  const auto sparse = random_integer_sparse<float>(40, 90, 0.3, 8);
  const auto flipped = testing::naive::transposed(to_dense(sparse));
  const std::vector<RowIndex> items{0, 3, 4, 50, 88, 89};
  const auto a = tree_data<float>(SparseView<float>(sparse))->cut(items);
  const auto b = tree_data<float>(flipped)->cut(items);
  Matrix<float> wb = testing::random_dense<float>(40, 2, 1), wa(static_cast<Index>(a->terms().size()), 2);
  // Where no item has an entry, the sparse node has no row: leave that row of W empty.
  Matrix<float> empty = wb;
  for (Index i = 0; i < wa.rows(); ++i) {
    for (Index c = 0; c < 2; ++c) wa(i, c) = wb(a->terms()[i], c), empty(a->terms()[i], c) = 0;
  }
  for (std::size_t e = 0; e < empty.values().size(); ++e) wb.values()[e] -= empty.values()[e];
  Sweep<float> sa, sb;
  a->sweep(wa, pair_gram(wa), sa);
  b->sweep(wb, pair_gram(wb), sb);
  for (std::size_t e = 0; e < sa.h.values().size(); ++e)
    EXPECT_NEAR(sa.h.values()[e], sb.h.values()[e], 1e-4f * (1 + sb.h.values()[e]));
  for (Index i = 0; i < wa.rows(); ++i) {
    for (Index c = 0; c < 2; ++c) EXPECT_NEAR(sa.xh(i, c), sb.xh(a->terms()[i], c), 1e-4f * (1 + sa.xh(i, c)));
  }
}

// A sample is a node of the items that sample_items draws, each multiplied by its factor.
template <class T>
void expect_sample(const NodeData<T>& node, const Matrix<T>& items_of_node, Index stride) {
  const auto sample = node.sample(stride);
  const auto chosen = sample_items(node.squared_norms(), stride);
  ASSERT_EQ(sample->items(), static_cast<Index>(chosen.items.size()));
  auto part = columns<T>(items_of_node, chosen.items, sample->terms());
  double total = 0, kept = 0;
  for (const RowIndex j : chosen.items) {
    for (Index i = 0; i < items_of_node.rows(); ++i) total += items_of_node(i, j);
  }
  for (const T value : part.values()) kept += value;
  EXPECT_EQ(kept, total);
  for (Index j = 0; j < part.cols(); ++j) {
    double square = 0;
    for (Index i = 0; i < part.rows(); ++i) {
      part(i, j) *= chosen.factors[j];
      square += part(i, j) * part(i, j);
    }
    EXPECT_NEAR(sample->squared_norms()[j], square, 1e-9 * square);
  }
  const auto w = testing::random_dense<T>(part.rows(), 2, 5);
  Sweep<T> sweep;
  sample->sweep(w, pair_gram(w), sweep);
  const auto wx = testing::naive::transpose_times(part, w);
  EXPECT_NEAR(sweep.fitted, dot(wx, sweep.h), 1e-9 * sweep.fitted);
  for (const double square : squared_projected_gradient(gram(w), wx, sweep.h)) EXPECT_LT(square, 1e-18 * dot(wx, wx));
}

TEST(NodeData, ASampleIsANodeOfAFewItems) {
  const auto sparse = random_integer_sparse<double>(60, 100, 0.05, 7);
  const auto flipped = testing::naive::transposed(to_dense(sparse));
  const std::vector<RowIndex> items{1, 2, 5, 9, 14, 15, 30, 31, 77, 80, 99};
  for (const auto& x : {tree_data<double>(SparseView<double>(sparse)), tree_data<double>(flipped)}) {
    const auto node = x->cut(items);
    const auto part = columns<double>(to_dense(sparse), items, *node);
    for (const Index stride : {1, 2, 3, 20}) expect_sample(*node, part, stride);
  }
}

TEST(NodeData, KeepsSomeItemsAsIfTheyHadBeenCutOut) {
  const auto sparse = random_integer_sparse<double>(300, 3000, 0.05, 9);
  const auto dense = to_dense(sparse);
  const auto flipped = testing::naive::transposed(dense);
  for (const auto& x : {tree_data<double>(SparseView<double>(sparse)), tree_data<double>(flipped)}) {
    std::vector<RowIndex> items = all_items(*x);
    const auto node = x->cut(items);
    const std::vector<RowIndex> terms(node->terms().begin(), node->terms().end());
    for (const RowIndex drop : {7, 5}) {  // one item in seven first, one of those left in five then
      std::vector<char> kept(items.size(), 1);
      for (std::size_t j = 3; j < kept.size(); j += drop) kept[j] = 0;
      std::vector<RowIndex> left;
      for (std::size_t j = 0; j < kept.size(); ++j) {
        if (kept[j]) left.push_back(items[j]);
      }
      items = left;
      node->keep(kept);
      ASSERT_EQ(node->items(), static_cast<Index>(items.size()));
      ASSERT_TRUE(std::ranges::equal(node->terms(), terms));
      const auto part = columns<double>(dense, items, *node);
      const auto w = testing::random_dense<double>(part.rows(), 2, 5);
      Sweep<double> sweep;
      node->sweep(w, pair_gram(w), sweep);
      const auto wx = testing::naive::transpose_times(part, w);
      const auto xh = testing::naive::times(part, sweep.h);
      for (const double square : squared_projected_gradient(gram(w), wx, sweep.h))
        EXPECT_LT(square, 1e-18 * dot(wx, wx));
      for (std::size_t e = 0; e < xh.values().size(); ++e)
        ASSERT_NEAR(sweep.xh.values()[e], xh.values()[e], 1e-9 * (1 + xh.values()[e]));
      expect_sample(*node, part, 4);
    }
  }
}

TEST(NodeData, IsWorthKeepingWhereTwoThirdsAreLeft) {
  const Matrix<float> items(9, 4);
  const auto node = tree_data<float>(items)->cut(all_items(*tree_data<float>(items)));
  EXPECT_TRUE(node->worth_keeping(std::vector<char>{1, 1, 1, 0, 0, 0, 1, 1, 1}));
  EXPECT_FALSE(node->worth_keeping(std::vector<char>{1, 1, 1, 0, 0, 0, 0, 1, 1}));
  node->keep(std::vector<char>{1, 1, 1, 1, 1, 1, 1, 0, 0});
  // Of what was cut out, and not of what is left.
  EXPECT_TRUE(node->worth_keeping(std::vector<char>{1, 1, 1, 1, 1, 1, 0}));
  EXPECT_FALSE(node->worth_keeping(std::vector<char>{1, 1, 1, 1, 1, 0, 0}));
}

// Every kind of read against naive products, with numbers of features of 16 bits and of more.
TEST(NodeData, ReadsEqualTheNaiveProducts) {
  for (const RowIndex rows : {500, 70000}) {
    // All features occur: item j has those that leave the remainder j on division by 300, and one that all have.
    Matrix<double> dense(rows, 300);
    for (RowIndex i = 0; i < rows; ++i) dense(i, i % 300) = 1 + i % 5;
    for (RowIndex j = 0; j < 300; ++j) dense(7, j) = 2;
    const auto sparse = testing::to_sparse(dense);
    const auto x = tree_data<double>(SparseView<double>(sparse));
    const auto items = all_items(*x);
    const auto node = x->cut(items);
    ASSERT_EQ(node->terms().size(), static_cast<std::size_t>(rows));
    const auto part = columns<double>(dense, items, *node);
    const auto v = random_integers(rows, 1);
    const auto products = testing::naive::transpose_times(part, v);
    Sweep<double> sweep;
    node->project(v, sweep);
    EXPECT_EQ(sweep.h, products);
    EXPECT_EQ(sweep.xh, testing::naive::times(part, products));
    EXPECT_EQ(sweep.hh.a, gram(products)(0, 0));
    EXPECT_EQ(sweep.hh.b, gram(products)(0, 1));
    EXPECT_EQ(sweep.hh.c, gram(products)(1, 1));

    std::vector<char> in_first(300);
    Matrix<double> grouped = products;
    for (Index j = 0; j < 300; ++j) in_first[j] = j % 3 == 0, grouped(j, j % 3 == 0 ? 1 : 0) = 0;
    node->power_step(v, in_first, sweep);
    EXPECT_EQ(sweep.h, grouped);
    EXPECT_EQ(sweep.xh, testing::naive::times(part, grouped));

    sweep.h = random_integers(300, 2);
    const auto given = sweep.h;
    node->spread(sweep);
    EXPECT_EQ(sweep.h, given);
    EXPECT_EQ(sweep.xh, testing::naive::times(part, given));
    EXPECT_EQ(sweep.hh.a, gram(given)(0, 0));
    EXPECT_EQ(sweep.hh.b, gram(given)(0, 1));
    EXPECT_EQ(sweep.hh.c, gram(given)(1, 1));
  }
}

TEST(NodeData, FrequentFeaturesComeFirst) {
  const auto sparse = random_integer_sparse<float>(80, 400, 0.1, 6);
  Matrix<float> dense = to_dense(sparse);
  for (Index j = 0; j < 400; ++j) dense(50, j) = 1, dense(3, j) = j == 9 ? 1 : 0;
  const auto changed = testing::to_sparse(dense);
  const auto x = tree_data<float>(SparseView<float>(changed));
  const auto node = x->cut(all_items(*x));
  const auto count = [&](RowIndex term) { return 400 - std::ranges::count(dense.row(term), 0.0f); };
  for (std::size_t i = 1; i < node->terms().size(); ++i)
    EXPECT_GE(std::bit_width(static_cast<unsigned>(count(node->terms()[i - 1]))),
              std::bit_width(static_cast<unsigned>(count(node->terms()[i]))));
  EXPECT_EQ(node->terms().front(), 50);
  EXPECT_EQ(node->terms().back(), 3);
  // A sample keeps that order.
  EXPECT_TRUE(std::ranges::is_sorted(node->sample(3)->terms()));
}

}  // namespace
}  // namespace copse
