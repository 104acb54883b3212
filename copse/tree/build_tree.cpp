// HierNMF2 as [Kuang 2014, algorithm 6] prints it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/tree/constants.h"
#include "copse/tree/scorer.h"

namespace copse {
namespace {

using Clock = std::chrono::steady_clock;

template <class T>
class Builder {
 public:
  // `items`: how many the part of the tree has that is to be split into options.leaves leaves.
  Builder(const TreeData<T>& x, const TreeOptions& options, SplitMemory<T>* memory, Index items)
      : x_(x),
        options_(options),
        deadline_(deadline(options)),
        exponent_(x.exponent()),
        min_score_(options.score == Score::mndcg ? options.min_score : std::ldexp(options.min_score, -2 * exponent_)),
        scorer_(x, options, memory, sure_to_split * items / options.leaves, deadline_) {}

  Tree build(const TreeData<T>& x) {
    tree_.precision = precision_of<T>;
    tree_.rows = x.rows();
    tree_.cols = x.cols();
    tree_.leaves = 1;
    TreeNode& root = tree_.nodes.emplace_back();
    root.items.resize(static_cast<std::size_t>(x.cols()));
    std::iota(root.items.begin(), root.items.end(), RowIndex(0));
    for (const double norm : x.squared_norms()) root.squared_norm += norm;
    root.score = std::numeric_limits<double>::infinity();
    splits_.resize(1);
    if (x.cols() < 2) close(0, Leaf::too_small);
    split_leaves(0, options_.leaves);
    return finish();
  }

  // Splits the leaf `node` of a finished tree. It is the first to be split, whatever its score is.
  Tree grow(Tree tree, Index node) {
    tree_ = std::move(tree);
    scale_squares(-2 * exponent_);
    tree_.stop_reason = StopReason::converged;
    splits_.resize(tree_.nodes.size());
    if (tree_.nodes[node].leaf == Leaf::open && tree_.nodes[node].items.size() > 1)
      split_leaves(node, tree_.leaves - 1 + options_.leaves, true);
    return finish();
  }

 private:
  static Clock::time_point deadline(const TreeOptions& options) {
    const std::chrono::duration<double> limit(options.time_limit);
    if (limit > std::chrono::hours(24 * 365)) return Clock::time_point::max();
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  }

  // Splits leaves below `top` until the tree has `wanted`, or none can be split. Whoever stops it gets the tree so far.
  // `top` itself comes first if it is forced.
  void split_leaves(Index top, Index wanted, bool forced = false) {
    const Index before = tree_.leaves;
    try {
      while (tree_.leaves < wanted) {
        if (x_.any(options_.progress && !options_.progress({tree_.leaves, wanted}))) {
          tree_.stop_reason = StopReason::interrupted;
          return;
        }
        check_time(x_, deadline_);
        const std::vector<Index> leaves = std::exchange(forced, false) ? std::vector{top} : open_leaves(top);
        if (leaves.empty()) return;
        if (options_.worth_splitting && !options_.worth_splitting(tree_.nodes[leaves.front()].items)) {
          close(leaves.front(), Leaf::not_worth_it);
          splits_[leaves.front()].reset();
          continue;
        }
        std::vector<Trial<T>*> next;
        for (const Index leaf : leaves) next.push_back(splits_[leaf].get());
        scorer_.work_ahead(next, wanted - tree_.leaves);
        split(leaves.front(), tree_.leaves + 1 == wanted);
      }
    } catch (const TimeUp&) {
      tree_.stop_reason = StopReason::time_limit;
    } catch (const Cancelled&) {
      if (tree_.leaves == before) throw;
      tree_.stop_reason = StopReason::interrupted;
    }
  }

  // The leaves below `top` that can be split, the one with the highest score first; among equals the oldest.
  std::vector<Index> open_leaves(Index top) const {
    std::vector<Index> leaves;
    for (Index n = top; n < static_cast<Index>(tree_.nodes.size()); ++n) {
      const TreeNode& node = tree_.nodes[n];
      if (node.first < 0 && node.score > min_score_ && node.leaf == Leaf::open && is_below(n, top)) leaves.push_back(n);
    }
    std::ranges::stable_sort(leaves, std::ranges::greater(), [&](Index n) {
      return options_.pick == Pick::size ? static_cast<double>(tree_.nodes[n].items.size()) : tree_.nodes[n].score;
    });
    return leaves;
  }

  bool is_below(Index node, Index top) const {
    while (node > top) node = tree_.nodes[node].parent;
    return node == top;
  }

  // Lines 6 to 22. Beyond the thesis, a large node is not closed for good where the trials found nothing but outliers:
  // a corpus whose topics are small beside the rest would have a tree of one leaf. It takes its first split.
  void split(Index leaf, bool last) {
    const std::uint64_t key = key_of(leaf);
    std::unique_ptr<Trial<T>> trial = std::move(splits_[leaf]);
    if (!trial) trial = scorer_.split(tree_.nodes[leaf].items, key, 0);
    std::vector<RowIndex> outliers;
    std::unique_ptr<Trial<T>> first;
    for (int trials = 0; options_.outlier_trials > 0 && only_sets_outliers_aside(*trial);) {
      const auto& [larger, smaller] = trial->split.sides;
      outliers.insert(outliers.end(), smaller.items.begin(), smaller.items.end());
      if (++trials == options_.outlier_trials) {
        if (!is_large(leaf)) return close(leaf, Leaf::only_outliers);
        if (first) trial = std::move(first);
        outliers.clear();
        break;
      }
      const std::vector<RowIndex> rest = larger.items;
      if (!first && is_large(leaf)) first = std::move(trial);
      trial = scorer_.split(rest, key, trials);
    }
    if (!trial->split.two_sided() && first) trial = std::move(first), outliers.clear();
    if (!trial->split.two_sided()) return close(leaf, Leaf::one_sided);
    if (!last) scorer_.score_both(*trial);
    std::ranges::sort(outliers);
    adopt(leaf, std::move(*trial), std::move(outliers));
  }

  // |N1| >= beta |N2|, and the score of N2 is below every positive score of the leaves. Leaves of a finished tree that
  // have none do not count.
  bool only_sets_outliers_aside(Trial<T>& trial) {
    if (!trial.split.two_sided() || !scorer_.is_unbalanced(trial.split)) return false;
    double least = std::numeric_limits<double>::infinity();
    for (const TreeNode& node : tree_.nodes) {
      if (node.first < 0 && node.score > 0) least = std::min(least, node.score);
    }
    // The root is infinitely good: there the score of N2 takes a factorization and decides nothing.
    return std::isinf(least) || scorer_.score(trial, 1).score < least;
  }

  bool is_large(Index node) const {
    return static_cast<double>(tree_.nodes[node].items.size()) >=
           options_.large_share * static_cast<double>(tree_.cols);
  }

  void close(Index node, Leaf reason) {
    tree_.nodes[node].score = permanent;
    tree_.nodes[node].leaf = reason;
  }

  // Makes the two sides of the trial the children of `leaf`.
  void adopt(Index leaf, Trial<T> trial, std::vector<RowIndex> outliers) {
    const Index first = static_cast<Index>(tree_.nodes.size());
    const int number = tree_.splits() + 1;
    tree_.nodes[leaf].outliers = std::move(outliers);
    tree_.nodes[leaf].first = first;
    tree_.nodes[leaf].second = first + 1;
    tree_.nodes[leaf].split = number;
    ++tree_.leaves;
    for (int s = 0; s < 2; ++s) {
      Side<T>& side = trial.split.sides[s];
      TreeNode& node = tree_.nodes.emplace_back();
      node.parent = leaf;
      node.items = std::move(side.items);
      node.weights = std::move(side.weights);
      node.shares = std::move(side.shares);
      node.topic = std::move(side.topic);
      node.squared_norm = side.squared_norm;
      node.explained = side.explained;
      splits_.emplace_back();
      if (!trial.scores[s]) continue;
      node.score = trial.scores[s]->score;
      node.leaf = trial.scores[s]->leaf;
      splits_.back() = std::move(trial.scores[s]->trial);
    }
  }

  std::uint64_t key_of(Index node) const {
    const Index parent = tree_.nodes[node].parent;
    if (parent < 0) return Scorer<T>::root_key();
    return Scorer<T>::child_key(key_of(parent), tree_.nodes[parent].first == node ? 0 : 1);
  }

  // Squares of the data, and the scores that are: between those of the data and those of the data as TreeData scales
  // it.
  void scale_squares(int exponent) {
    for (TreeNode& node : tree_.nodes) {
      node.squared_norm = std::ldexp(node.squared_norm, exponent);
      node.explained = std::ldexp(node.explained, exponent);
      if (options_.score != Score::mndcg && node.leaf == Leaf::open) node.score = std::ldexp(node.score, exponent);
    }
  }

  Tree finish() {
    scale_squares(2 * exponent_);
    const TreeCost cost = scorer_.cost();
    tree_.cost.factorizations += cost.factorizations;
    tree_.cost.iterations += cost.iterations;
    tree_.cost.entries_read += cost.entries_read;
    return std::move(tree_);
  }

  const TreeData<T>& x_;
  const TreeOptions& options_;
  Clock::time_point deadline_;
  int exponent_;      // of the data
  double min_score_;  // for the data as TreeData scales it
  Scorer<T> scorer_;
  Tree tree_;
  std::vector<std::unique_ptr<Trial<T>>> splits_;  // of each leaf, where its score was computed from it
};

template <class T>
void check(const TreeData<T>& x, const TreeOptions& options) {
  const auto require = [](bool holds, const std::string& otherwise) {
    if (!holds) throw InvalidArgument(otherwise);
  };
  require(options.leaves >= 1, "A tree needs at least one leaf, not " + std::to_string(options.leaves) + ".");
  require(options.outlier_trials >= 0, "The number of outlier trials must not be negative.");
  require(options.imbalance > 1, "The imbalance beta must be greater than 1.");
  require(options.large_share >= 0, "The share of a large node must not be negative.");
  require(options.smallest_split >= 2, "The smallest node to split must have at least two items.");
  require(options.tolerance >= 0, "The tolerance must not be negative.");
  require(options.max_iterations >= 2, "The limit of iterations must be at least 2.");
  require(options.time_limit > 0, "The time limit must be positive.");
  require(x.rows() > 0 && x.cols() > 0, "A matrix without features or without items has no tree.");
  require(x.cols() <= std::numeric_limits<RowIndex>::max(), "A tree can have at most 2^31 - 1 items.");
}

}  // namespace

template <class T>
Tree build_tree(const TreeData<T>& x, const TreeOptions& options, SplitMemory<T>* memory) {
  check(x, options);
  return Builder<T>(x, options, memory, x.cols()).build(x);
}

template <class T>
void grow(Tree& tree, Index node, const TreeData<T>& x, const TreeOptions& options) {
  check(x, options);
  if (x.rows() != tree.rows || x.cols() != tree.cols)
    throw InvalidArgument("The tree was built from another matrix: it has " + std::to_string(tree.rows) +
                          " features and " + std::to_string(tree.cols) + " items, the matrix " +
                          std::to_string(x.rows()) + " and " + std::to_string(x.cols()) + ".");
  if (node < 0 || node >= static_cast<Index>(tree.nodes.size()))
    throw InvalidArgument("The tree has no node number " + std::to_string(node) + ".");
  if (tree.nodes[node].first >= 0) throw InvalidArgument("Node " + tree.id(node) + " is split already.");
  const Index items = static_cast<Index>(tree.nodes[node].items.size());
  tree = Builder<T>(x, options, nullptr, items).grow(Tree(tree), node);  // a copy: who throws changes nothing
}

#define COPSE_INSTANTIATE(T)                                                         \
  template Tree build_tree(const TreeData<T>&, const TreeOptions&, SplitMemory<T>*); \
  template void grow(Tree&, Index, const TreeData<T>&, const TreeOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
