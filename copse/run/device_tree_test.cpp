// A tree that a device splits is that of the CPU: the same reads, whose sums have another order.
#include "copse/run/device_tree.h"

#include <gtest/gtest.h>

#include <numeric>

#include "copse/generate/corpus.h"
#include "copse/tree/tree.h"

namespace copse {
namespace {

class DeviceTree : public ::testing::Test {
 protected:
  void SetUp() override {
    if (opencl_devices().empty()) GTEST_SKIP() << "there is no OpenCL device here; pocl-opencl-icd is one";
  }
};

template <class T>
SparseMatrix<T> planted(Index documents) {
  const Planted<T> corpus =
      generate_corpus<T>({.documents = documents, .terms = 300, .k = 6, .terms_per_document = 30, .seed = 2});
  return std::get<SparseMatrix<T>>(corpus.data.values);
}

template <class T>
void expect_near(const Matrix<T>& a, const Matrix<T>& b, double tolerance) {
  ASSERT_EQ(a.values().size(), b.values().size());
  double largest = 0;
  for (const T value : b.values()) largest = std::max(largest, std::abs(static_cast<double>(value)));
  for (std::size_t e = 0; e < a.values().size(); ++e)
    ASSERT_NEAR(a.values()[e], b.values()[e], tolerance * largest) << "entry " << e;
}

// Every read of a node, against the node in memory: also of a sample, and after items were dropped; with a device that
// holds the matrix, and with one through which it is streamed.
TEST_F(DeviceTree, ReadsAsNodesInMemoryDo) {
  auto x = planted<double>(700);
  const auto host = tree_data(SparseView<double>(x));
  std::vector<RowIndex> items;
  for (RowIndex j = 0; j < 700; j += 1 + j % 3) items.push_back(j);
  std::vector<char> kept(items.size()), groups(items.size());
  for (std::size_t j = 0; j < items.size(); ++j) kept[j] = j % 4 != 1, groups[j] = j % 3 == 0;
  for (const double memory : {0.0, 60e3}) {
    const OpenClWorkshop<double> workshop({.device = 0, .memory = memory});
    const auto data = tree_on_device(tree_data(SparseView<double>(x)), workshop, 0);
    for (const int kind : {0, 1, 2}) {
      auto expected = host->cut(items), found = data->cut(items);
      if (kind == 1) expected->keep(kept), found->keep(kept);
      if (kind == 2) expected = expected->sample(5), found = found->sample(5);
      ASSERT_EQ(found->items(), expected->items());
      ASSERT_TRUE(std::ranges::equal(found->terms(), expected->terms()));
      EXPECT_EQ(found->exponent(), expected->exponent());
      EXPECT_EQ(found->entries(), expected->entries());
      Matrix<double> w(static_cast<Index>(found->terms().size()), 2);
      for (Index i = 0; i < w.rows(); ++i) w(i, 0) = 1.0 / (1 + i % 7), w(i, 1) = (i % 5) / 4.0;
      PairGram ww;
      for (Index i = 0; i < w.rows(); ++i)
        ww.a += w(i, 0) * w(i, 0), ww.b += w(i, 0) * w(i, 1), ww.c += w(i, 1) * w(i, 1);
      const auto compare = [&](const auto& read) {
        Sweep<double> one, other;
        one.h = other.h = Matrix<double>(found->items(), 2);
        for (Index j = 0; j < one.h.rows(); ++j)
          one.h(j, 0) = other.h(j, 0) = j % 3, one.h(j, 1) = other.h(j, 1) = j % 2;
        read(*found, one), read(*expected, other);
        found->share_rows(one.h);
        expect_near(one.h, other.h, 1e-12);
        expect_near(one.xh, other.xh, 1e-12);
        const double scale = other.hh.a + other.hh.c;
        EXPECT_NEAR(one.hh.a, other.hh.a, 1e-12 * scale);
        EXPECT_NEAR(one.hh.b, other.hh.b, 1e-12 * scale);
        EXPECT_NEAR(one.hh.c, other.hh.c, 1e-12 * scale);
        return std::pair{one.fitted, other.fitted};
      };
      const auto [fitted, naive] =
          compare([&](const NodeData<double>& node, Sweep<double>& out) { node.sweep(w, ww, out); });
      EXPECT_NEAR(fitted, naive, 1e-12 * naive);
      // Parallel columns, and one of zeros: the step has rules for them.
      compare([&](const NodeData<double>& node, Sweep<double>& out) { node.sweep(w, {4, 4, 4}, out); });
      compare([&](const NodeData<double>& node, Sweep<double>& out) { node.sweep(w, {4, 0, 0}, out); });
      compare([&](const NodeData<double>& node, Sweep<double>& out) { node.project(w, out); });
      compare([&](const NodeData<double>& node, Sweep<double>& out) { node.spread(out); });
      compare([&](const NodeData<double>& node, Sweep<double>& out) {
        node.power_step(w, std::span<const char>(groups).first(static_cast<std::size_t>(node.items())), out);
      });
    }
    EXPECT_GT(workshop.times_so_far().products, 20);
    EXPECT_GT(workshop.times_so_far().predicted, 0);
  }
}

TEST_F(DeviceTree, HasTheClustersOfTheTreeInMemory) {
  const auto x = planted<float>(3000);
  for (const Score score : {Score::mndcg, Score::error, Score::rank1_gain}) {
    const TreeOptions options{.leaves = 6, .score = score};
    const Tree expected = build_tree(*tree_data(SparseView<float>(x)), options);
    const OpenClWorkshop<float> workshop({});
    const Tree found = build_tree(*tree_on_device(tree_data(SparseView<float>(x)), workshop, 1000), options);
    ASSERT_EQ(found.nodes.size(), expected.nodes.size());
    Index other = 0;
    for (std::size_t n = 0; n < found.nodes.size(); ++n) {
      std::vector<RowIndex> different;
      std::ranges::set_symmetric_difference(found.nodes[n].items, expected.nodes[n].items,
                                            std::back_inserter(different));
      other = std::max(other, static_cast<Index>(different.size()));
    }
    EXPECT_LE(other, 3);  // items that hang between two topics
  }
}

}  // namespace
}  // namespace copse
