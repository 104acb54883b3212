#include "copse/tree/flatten.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "copse/kernels/gram.h"
#include "copse/kernels/in_memory.h"
#include "copse/nnls/nnls.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using testing::random_integer_sparse;

template <class T>
double relative_error(const Data<T>& x, const Matrix<T>& w, const Matrix<T>& h) {
  Matrix<T> xh;
  x.times(h, xh);
  const auto square = x.squared_norm() - 2 * dot(xh, w) + dot(gram(w), gram(h));
  return std::sqrt(square / x.squared_norm());
}

TEST(Flatten, SolvesForEveryItemExactly) {
  const auto sparse = random_integer_sparse<double>(60, 200, 0.15, 3);
  const SparseData<double> x(sparse);
  const auto tree = build_tree(*tree_data<double>(SparseView<double>(sparse)), {.leaves = 6, .outlier_trials = 0});
  const auto w = leaf_topics(x, tree);
  ASSERT_EQ(w.cols(), tree.leaves);
  const auto h = flatten(x, w);
  ASSERT_EQ(h.rows(), 200);
  Matrix<double> products;
  x.transpose_times(w, products);
  for (const double square : squared_projected_gradient(gram(w), products, h))
    EXPECT_LT(std::sqrt(square), 1e-9 * std::sqrt(dot(products, products)));
}

// Copies are not cheap.
class WithoutCopies : public SparseData<double> {
 public:
  using SparseData<double>::SparseData;
  Sample<double> select(std::span<const Index>) const override { return {}; }
};

TEST(Flatten, BlocksOfItemsGiveTheSameAsTheWhole) {
  // More coefficients than one block has: 40,000 items x 300 topics.
  const auto sparse = random_integer_sparse<double>(400, 40000, 0.01, 5);
  Matrix<double> w(400, 300);
  for (Index i = 0; i < w.rows(); ++i) w(i, i % w.cols()) = 1 + static_cast<double>(i % 7), w(i, (5 * i) % 300) += 1;
  const SparseData<double> x(sparse);
  const WithoutCopies without_copies(sparse);
  const auto whole = flatten<double>(x, w);
  for (const Data<double>* data :
       {static_cast<const Data<double>*>(&x), static_cast<const Data<double>*>(&without_copies)}) {
    Index blocks = 0, next = 0;
    double difference = 0;
    const double error = flatten<double>(*data, w, [&](Index first, const Matrix<double>& h) {
      ASSERT_EQ(first, next);
      next += h.rows();
      ++blocks;
      for (Index j = 0; j < h.rows(); ++j) {
        for (Index c = 0; c < h.cols(); ++c) difference = std::max(difference, std::abs(h(j, c) - whole(first + j, c)));
      }
    });
    EXPECT_EQ(next, 40000);
    EXPECT_EQ(blocks > 1, data == &x);
    EXPECT_LT(difference, 1e-9);
    EXPECT_NEAR(error, relative_error(x, w, whole), 1e-9);
  }
}

TEST(Flatten, ATreeOfOneLeafHasTheMeanItem) {
  const auto sparse = random_integer_sparse<double>(10, 30, 0.5, 3);
  const SparseData<double> x(sparse);
  const auto tree = build_tree(*tree_data<double>(SparseView<double>(sparse)), {.leaves = 1});
  const auto w = leaf_topics(x, tree);
  ASSERT_EQ(w.cols(), 1);
  EXPECT_NEAR(gram(w)(0, 0), 1, 1e-12);
  const auto h = flatten(x, w);
  EXPECT_GT(dot(h, h), 0);
}

TEST(DcNmf, OneAlternationMeetsTheBoundOfTheTree) {
  const auto sparse = random_integer_sparse<float>(80, 300, 0.1, 4);
  const SparseData<float> x(sparse);
  const auto items = tree_data<float>(SparseView<float>(sparse));
  TreeOptions options{.leaves = 8, .score = Score::error, .outlier_trials = 0, .smallest_split = 2};
  options.min_score = -std::numeric_limits<double>::infinity();
  const auto tree = build_tree(*items, options);
  // [Du et al. 2017, theorem 2]: the error is at most the sum of the leaves' rank-1 errors.
  double bound = 0;
  for (const Index leaf : tree.leaf_nodes()) bound += tree.nodes[leaf].squared_norm - tree.nodes[leaf].explained;
  const auto result = factorize_dc<float>(x, *items, {.rank = 8, .solver = Solver::pivoting, .max_iterations = 1});
  EXPECT_EQ(result.history.size(), 1u);
  EXPECT_LT(std::pow(result.relative_error, 2) * x.squared_norm(), bound);
  EXPECT_NEAR(relative_error(x, result.w, result.h), result.relative_error, 1e-3);
  const auto more = factorize_dc<float>(x, *items, {.rank = 8, .max_iterations = 30});
  EXPECT_LT(more.relative_error, result.relative_error);
}

TEST(DcNmf, FillsUpWhatTheTreeCannotGive) {
  // Two kinds of items: no tree has more than two leaves.
  Matrix<double> two(6, 12);
  for (Index j = 0; j < 12; ++j) two(j % 2 == 0 ? 1 : 4, j) = 1;
  const auto sparse = testing::to_sparse(two);
  const SparseData<double> x(sparse);
  const auto result =
      factorize_dc<double>(x, *tree_data<double>(SparseView<double>(sparse)), {.rank = 5, .max_iterations = 1});
  EXPECT_EQ(result.w.cols(), 5);
  EXPECT_LT(result.relative_error, 1e-6);
}

// Counts the nodes that are cut out of the data: one for every factorization of the tree.
class CountedCuts : public TreeData<float> {
 public:
  explicit CountedCuts(const TreeData<float>& x) : x_(x) {}
  Index rows() const override { return x_.rows(); }
  Index cols() const override { return x_.cols(); }
  Index entries() const override { return x_.entries(); }
  std::unique_ptr<NodeData<float>> cut(std::span<const RowIndex> items) const override {
    ++cuts;
    return x_.cut(items);
  }
  std::span<const double> squared_norms() const override { return x_.squared_norms(); }
  int exponent() const override { return x_.exponent(); }

  mutable std::atomic<int> cuts = 0;

 private:
  const TreeData<float>& x_;
};

TEST(DcNmf, TheTimeLimitCountsTheTree) {
  const auto sparse = random_integer_sparse<float>(50, 400, 0.05, 6);
  const SparseData<float> x(sparse);
  const auto items = tree_data<float>(SparseView<float>(sparse));
  const auto cuts = [&](double limit) {
    const CountedCuts counted(*items);
    const auto result = factorize_dc<float>(x, counted, {.rank = 20, .max_iterations = 1, .time_limit = limit});
    EXPECT_EQ(result.w.cols(), 20);
    return counted.cuts.load();
  };
  EXPECT_GE(cuts(1e9), 19);
  EXPECT_EQ(cuts(1e-12), 0);
}

}  // namespace
}  // namespace copse
