#include "copse/tree/flatten.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/random.h"
#include "copse/kernels/gram.h"
#include "copse/matrix/more_of_data.h"
#include "copse/nmf/error.h"
#include "copse/nnls/nnls.h"
#include "copse/tree/constants.h"
#include "copse/tree/join.h"

namespace copse {
namespace {

template <class T>
void scale_to_unit(Matrix<T>& w, Index column) {
  double square = 0;
  for (Index i = 0; i < w.rows(); ++i) square += static_cast<double>(w(i, column)) * static_cast<double>(w(i, column));
  if (square == 0) return;
  for (Index i = 0; i < w.rows(); ++i)
    w(i, column) = static_cast<T>(static_cast<double>(w(i, column)) / std::sqrt(square));
}

// The neighbouring items of a block, and the topics of the features that occur in them.
template <class T>
struct Block {
  std::unique_ptr<Data<T>> items;  // null where no copy is cheap
  Matrix<T> topics;
};

template <class T>
Block<T> select_block(const Data<T>& x, const Matrix<T>& topics, Index begin, Index end) {
  std::vector<Index> numbers(static_cast<std::size_t>(end - begin));
  std::iota(numbers.begin(), numbers.end(), begin);
  Sample<T> sample = select_items<T>(x, numbers);
  if (!sample.data) return {};
  Matrix<T> rows(static_cast<Index>(sample.features.size()), topics.cols());
  for (Index i = 0; i < rows.rows(); ++i) std::ranges::copy(topics.row(sample.features[i]), rows.row(i).begin());
  return {std::move(sample.data), std::move(rows)};
}

}  // namespace

Index items_to_fit_at_once(Index items, Index entries, Index topics, bool fetched) {
  const Index size = std::max<Index>(1, coefficients_at_once / std::max<Index>(1, topics));
  if (!fetched || entries <= entries_at_once) return size;
  const double share = static_cast<double>(entries_at_once) / static_cast<double>(entries);
  return std::clamp<Index>(static_cast<Index>(share * static_cast<double>(items)), 1, size);
}

template <class T>
Matrix<T> leaf_topics(const Data<T>& x, const Tree& tree) {
  if (tree.nodes.size() == 1) {
    Matrix<T> ones(x.cols(), 1), mean;
    std::ranges::fill(ones.values(), T(1));
    x.times(ones, mean);
    scale_to_unit(mean, 0);
    return mean;
  }
  return leaf_topics<T>(tree);
}

template <class T>
Matrix<T> leaf_topics(const Tree& tree) {
  const auto leaves = tree.leaf_nodes();
  const JoinedTopics topics(tree);
  Matrix<T> w(tree.rows, static_cast<Index>(leaves.size()));
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    const RankedTerms& topic = topics(leaves[c]);
    for (std::size_t r = 0; r < topic.terms.size(); ++r)
      w(topic.terms[r], static_cast<Index>(c)) = static_cast<T>(topic.weights[r]);
  }
  return w;
}

template <class T>
Matrix<T> flatten(const Data<T>& x, const Matrix<T>& topics) {
  Matrix<T> products, h;
  x.transpose_times(topics, products);
  solve_pivoting(gram(topics), products, h);
  return h;
}

template <class T>
double flatten(const Data<T>& x, const Matrix<T>& topics,
               const std::function<void(Index first, const Matrix<T>& h)>& visit) {
  const Matrix<double> w_gram = gram(topics);
  Matrix<double> h_gram(topics.cols(), topics.cols());
  Matrix<T> products, h;
  double cross = 0;  // <X, W H>
  const auto fit = [&](const Data<T>& items, const Matrix<T>& rows, Index first) {
    items.transpose_times(rows, products);
    h = Matrix<T>();  // no start
    solve_pivoting(w_gram, products, h);
    cross += dot(products, h);
    const Matrix<double> part = gram(h);
    std::ranges::transform(h_gram.values(), part.values(), h_gram.values().begin(), std::plus());
    visit(first, h);
  };
  const Index size = items_to_fit_at_once(x.cols(), x.nonzeros(), topics.cols(), x.is_fetched());
  for (Index begin = 0; begin < x.cols(); begin += size) {
    const Index end = std::min(begin + size, x.cols());
    const Block<T> block = begin == 0 && end == x.cols() ? Block<T>{} : select_block(x, topics, begin, end);
    if (!block.items) {  // at the first block, or never
      fit(x, topics, 0);
      break;
    }
    fit(*block.items, block.topics, begin);
  }
  x.sum({&cross, 1});
  x.sum(h_gram.values());
  const double squared_norm = x.squared_norm();
  return squared_norm > 0 ? std::sqrt(squared_error(squared_norm, cross, w_gram, h_gram) / squared_norm) : 0;
}

template <class T>
NmfResult<T> factorize_dc(const Data<T>& x, const TreeData<T>& items, const NmfOptions& options) {
  if (options.start != Start::automatic || options.runs != 1)
    throw InvalidArgument("DC-NMF has a start of its own and makes one run.");
  TreeOptions tree_options{.leaves = options.rank, .score = Score::error, .outlier_trials = 0, .seed = options.seed};
  tree_options.min_score = -std::numeric_limits<double>::infinity();
  tree_options.smallest_split = 2;
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto left = [&] { return options.time_limit - std::chrono::duration<double>(Clock::now() - began).count(); };
  tree_options.time_limit = options.time_limit;
  const Tree tree = build_tree(items, tree_options);
  const Matrix<T> topics = leaf_topics(x, tree);
  const auto leaves = tree.leaf_nodes();

  Matrix<T> w(x.rows(), options.rank), h(x.cols(), options.rank);
  for (Index i = 0; i < w.rows(); ++i) std::ranges::copy(topics.row(i), w.row(i).begin());
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    const TreeNode& leaf = tree.nodes[leaves[c]];
    for (std::size_t j = 0; j < leaf.weights.size(); ++j)
      h(leaf.items[j], static_cast<Index>(c)) = static_cast<T>(leaf.weights[j]);
  }
  const Index missing = options.rank - tree.leaves;
  if (missing > 0) {
    Matrix<T> drawn(x.cols(), missing), columns;
    Random random(options.seed);
    for (Index c = 0; c < missing; ++c) drawn(random.below(x.cols()), c) = 1;
    x.times(drawn, columns);
    for (Index i = 0; i < w.rows(); ++i) std::ranges::copy(columns.row(i), w.row(i).begin() + tree.leaves);
    for (Index c = tree.leaves; c < options.rank; ++c) scale_to_unit(w, c);
  }
  NmfOptions given = options;
  given.time_limit = std::max(left(), std::numeric_limits<double>::min());
  return factorize(x, given, std::move(w), std::move(h));
}

#define COPSE_INSTANTIATE(T)                                                                                      \
  template Matrix<T> leaf_topics(const Tree&);                                                                    \
  template Matrix<T> leaf_topics(const Data<T>&, const Tree&);                                                    \
  template Matrix<T> flatten(const Data<T>&, const Matrix<T>&);                                                   \
  template double flatten(const Data<T>&, const Matrix<T>&, const std::function<void(Index, const Matrix<T>&)>&); \
  template NmfResult<T> factorize_dc(const Data<T>&, const TreeData<T>&, const NmfOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
