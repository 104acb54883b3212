#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/tree/mndcg.h"
#include "copse/tree/tree.h"
#include "copse/tree/trial_split.h"

namespace copse {
namespace {

constexpr double permanent = -1;

bool needs_trial(Score score) { return score == Score::mndcg || score == Score::error || score == Score::rank1_gain; }

// A key for every node and trial that depends on the way from the root only (Steele et al. 2014, splitmix).
std::uint64_t mix(std::uint64_t key, std::uint64_t step) {
  key += 0x9e3779b97f4a7c15u * (step + 1);
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
  return key ^ (key >> 31);
}

// So many leaves have their children scored at once. The best leaf is split next; those that follow it will most likely
// be split too, and scoring their children meanwhile keeps all threads at work.
constexpr std::size_t leaves_at_once = 4;

// A node that is so many times as large as an average leaf will be split for certain, or nearly so.
constexpr Index sure_to_split = 6;

constexpr double infinity = std::numeric_limits<double>::infinity();

// The score of a would-be node, and its trial split where the score needs one (thesis: "needs only to be computed once
// when the node first appears").
template <class T>
struct Scored {
  double score = permanent;
  Leaf leaf = Leaf::open;
  std::optional<TrialSplit<T>> trial;
  std::unique_ptr<std::array<Scored<T>, 2>> children = nullptr;  // the scores of the two sides of `trial`
  TreeCost cost;                                                 // with that of the children
};

// What the builder knows of a node beyond what the tree shows.
template <class T>
struct Pending {
  std::uint64_t key = 0;
  std::optional<TrialSplit<T>> trial = {};  // of all items; becomes the node's split
  std::unique_ptr<std::array<Scored<T>, 2>> children = nullptr;
};

void add_cost(const TreeCost& more, TreeCost& cost) {
  cost.factorizations += more.factorizations;
  cost.iterations += more.iterations;
  cost.entries_read += more.entries_read;
}

// Squares of gradients, which grow like |X|^4, must be numbers of T.
template <class T>
void check_norm(double squared) {
  const double lowest = 1e7 * std::sqrt(static_cast<double>(std::numeric_limits<T>::min()));
  const double highest = std::sqrt(static_cast<double>(std::numeric_limits<T>::max())) / 10;
  if (squared == 0 || (squared >= lowest && squared <= highest)) return;
  const auto power = [](double value) { return "1e" + std::to_string(std::lround(std::log10(value))); };
  throw InvalidArgument("The norm of the matrix is about " + power(std::sqrt(squared)) + ", and a tree in " +
                        (sizeof(T) == 4 ? "single" : "double") + " precision needs one between " +
                        power(std::sqrt(lowest)) + " and " + power(std::sqrt(highest)) +
                        (sizeof(T) == 4 ? ": scale the matrix, or use double precision." : ": scale the matrix."));
}

template <class T>
class Builder {
 public:
  Builder(const TreeData<T>& x, const TreeOptions& options, SplitMemory<T>* memory)
      : x_(x), options_(options), memory_(memory), squared_norms_(x.squared_norms()) {
    if (options.score == Score::mndcg) mndcg_.emplace(x.rows());
    trial_.rank2 = {.start = options.start,
                    .tolerance = options.tolerance,
                    .max_iterations = options.max_iterations,
                    .seed = options.seed};
    trial_.leading = options.score == Score::rank1_gain || options.score == Score::rank1;
  }

  Tree<T> build() {
    tree_.rows = x_.rows();
    tree_.cols = x_.cols();
    TreeNode<T> root;
    root.items.resize(static_cast<std::size_t>(x_.cols()));
    std::iota(root.items.begin(), root.items.end(), RowIndex(0));
    for (const double norm : squared_norms_) root.squared_norm += norm;
    check_norm<T>(root.squared_norm);
    root.score = infinity;
    tree_.nodes.push_back(std::move(root));
    pending_.resize(1);
    pending_[0].key = mix(0, 0);
    tree_.leaves = 1;
    many_items_ = sure_to_split * x_.cols() / options_.leaves;
    if (x_.cols() < 2) close(0, Leaf::too_small);
    split_leaves(0, options_.leaves);
    return std::move(tree_);
  }

  // Splits the leaf `node` of a finished tree. It is the first to be split, whatever its score is.
  Tree<T> grow(Tree<T> tree, Index node) {
    tree_ = std::move(tree);
    pending_.resize(tree_.nodes.size());
    pending_[node].key = key_of(node);
    many_items_ = sure_to_split * static_cast<Index>(tree_.nodes[node].items.size()) / options_.leaves;
    const Index wanted = tree_.leaves - 1 + options_.leaves;
    if (tree_.nodes[node].leaf == Leaf::open && tree_.nodes[node].items.size() > 1) {
      split(node, wanted);
      split_leaves(node, wanted);
    }
    return std::move(tree_);
  }

 private:
  // Splits leaves below `top` until the tree has so many, or none can be split.
  void split_leaves(Index top, Index wanted) {
    while (tree_.leaves < wanted) {
      if (options_.progress && !options_.progress({tree_.leaves, wanted})) {
        tree_.stop_reason = StopReason::interrupted;
        return;
      }
      const auto leaves = open_leaves(top);
      if (leaves.empty()) return;
      score_children(leaves, wanted - tree_.leaves);
      split(leaves.front(), wanted);
    }
  }

  std::uint64_t key_of(Index node) const {
    const Index parent = tree_.nodes[node].parent;
    return parent < 0 ? mix(0, 0) : child_key(key_of(parent), tree_.nodes[parent].first == node ? 0 : 1);
  }

  bool is_below(Index node, Index top) const {
    while (node > top) node = tree_.nodes[node].parent;
    return node == top;
  }

  // The leaves below `top` that can be split, the one to split next first; among equals the oldest.
  std::vector<Index> open_leaves(Index top) const {
    std::vector<Index> leaves;
    for (Index n = 0; n < static_cast<Index>(tree_.nodes.size()); ++n) {
      const TreeNode<T>& node = tree_.nodes[n];
      if (node.first < 0 && node.score > options_.min_score && node.leaf == Leaf::open && is_below(n, top))
        leaves.push_back(n);
    }
    std::ranges::stable_sort(leaves, std::ranges::greater(), [&](Index n) {
      return options_.pick == Pick::size ? static_cast<double>(tree_.nodes[n].items.size()) : tree_.nodes[n].score;
    });
    return leaves;
  }

  // Scores the children that the first of these leaves would have, unless that is done, and with them those of the next
  // few as long as that is work well spent: `splits` is how many will be made still, and at least half of them go to
  // the leaves that are best now. The children of the last split need no score.
  void score_children(std::span<const Index> leaves, Index splits) {
    if (splits < 2 || !pending_[leaves.front()].trial || pending_[leaves.front()].children) return;
    std::vector<Index> chosen;
    for (const Index n : leaves.first(std::min(leaves.size(), static_cast<std::size_t>(splits + 1) / 2))) {
      if (chosen.size() < leaves_at_once && pending_[n].trial && !pending_[n].children) chosen.push_back(n);
    }
    parallel_for(static_cast<Index>(chosen.size()), [&](Index task) {
      Pending<T>& parent = pending_[chosen[task]];
      parent.children = score_sides(*parent.trial, parent.key);
    });
    for (const Index n : chosen) {
      for (const Scored<T>& child : *pending_[n].children) add_cost(child.cost, tree_.cost);
    }
  }

  // The scores of the sides of a trial. A side that is sure to be split has its own sides scored at once, so that the
  // smaller of them keep other threads at work where the work of the larger can't be shared.
  std::unique_ptr<std::array<Scored<T>, 2>> score_sides(TrialSplit<T>& trial, std::uint64_t key) const {
    auto scored = std::make_unique<std::array<Scored<T>, 2>>();
    parallel_for(2, [&](Index s) {
      Scored<T>& child = (*scored)[s];
      const std::uint64_t own_key = child_key(key, static_cast<int>(s));
      child = score(trial.sides[s], own_key);
      if (!child.trial || !(child.score > std::max(options_.min_score, 0.0))) return;
      // The split of an unbalanced trial may be another one, without outliers.
      if (static_cast<Index>(trial.sides[s].items.size()) < many_items_ || is_unbalanced(*child.trial)) return;
      child.children = score_sides(*child.trial, own_key);
      for (const Scored<T>& grandchild : *child.children) add_cost(grandchild.cost, child.cost);
    });
    return scored;
  }

  bool is_unbalanced(const TrialSplit<T>& trial) const {
    const auto& [larger, smaller] = trial.sides;
    return static_cast<double>(larger.items.size()) >= options_.imbalance * static_cast<double>(smaller.items.size());
  }

  void close(Index node, Leaf reason) {
    tree_.nodes[node].score = permanent;
    tree_.nodes[node].leaf = reason;
    pending_[node].trial.reset();
  }

  TrialSplit<T> try_items(std::span<const RowIndex> items, PartOfNode<T> data, std::uint64_t key,
                          TreeCost& cost) const {
    return try_split<T>(x_, items, std::move(data), squared_norms_, key, trial_, memory_, cost);
  }

  // The side's data is used up.
  Scored<T> score(Side<T>& side, std::uint64_t key) const {
    Scored<T> result;
    if (static_cast<Index>(side.items.size()) < options_.smallest_split) {
      result.leaf = Leaf::too_small;
      return result;
    }
    if (!needs_trial(options_.score)) {
      result.score = options_.score == Score::fit     ? side.squared_norm - side.explained
                     : options_.score == Score::rank1 ? side.squared_norm - side.leading
                                                      : side.rank2_error;
      return result;
    }
    result.trial = try_items(side.items, std::move(side.data), key, result.cost);
    const auto& [first, second] = result.trial->sides;
    if (!result.trial->two_sided()) {
      result.leaf = Leaf::one_sided;
    } else if (options_.score == Score::mndcg) {
      result.score = (*mndcg_)(side.topic.terms, first.topic.terms, second.topic.terms);
      if (result.score == permanent) result.leaf = Leaf::one_sided;
    } else if (options_.score == Score::error) {
      // |A|^2 = |A1|^2 + |A2|^2 cancels.
      result.score = first.explained + second.explained - side.explained;
    } else {
      result.score = first.leading + second.leading - side.leading;
    }
    if (result.leaf != Leaf::open) result.trial.reset();
    return result;
  }

  // Whether a score is below every positive score of the leaves. Leaves of a finished tree that have none do not count.
  bool is_below_all(double score) const {
    return std::ranges::none_of(tree_.nodes, [&](const TreeNode<T>& node) {
      return node.first < 0 && node.score > 0 && !(score < node.score);
    });
  }

  // Thesis, algorithm 6, lines 6-22, but that a large node is not closed for good: a corpus whose topics are small
  // beside the rest would have a tree of one leaf. It takes its first split.
  void split(Index leaf, Index wanted) {
    const std::uint64_t key = pending_[leaf].key;
    std::optional<TrialSplit<T>> trial = std::move(pending_[leaf].trial);
    std::array<std::optional<Scored<T>>, 2> known;  // the scores of its sides
    if (auto children = std::move(pending_[leaf].children))
      known = {std::move((*children)[0]), std::move((*children)[1])};
    if (!trial) trial = try_items(tree_.nodes[leaf].items, {}, key, tree_.cost);
    std::vector<RowIndex> outliers;
    std::optional<TrialSplit<T>> first;  // of all items, where that is the last resort
    std::array<std::optional<Scored<T>>, 2> first_known;
    for (int trials = 0;;) {
      if (!trial->two_sided()) return close(leaf, Leaf::one_sided);
      auto& [larger, smaller] = trial->sides;
      if (options_.outlier_trials == 0 || !is_unbalanced(*trial)) break;
      if (!known[1]) {
        known[1] = score(smaller, child_key(key, 1));
        add_cost(known[1]->cost, tree_.cost);
      }
      if (!is_below_all(known[1]->score)) break;
      outliers.insert(outliers.end(), smaller.items.begin(), smaller.items.end());
      if (++trials == options_.outlier_trials) {
        if (!is_large(leaf)) return close(leaf, Leaf::only_outliers);
        if (first) trial = std::move(first), known = std::move(first_known);
        outliers.clear();
        break;
      }
      // The rest is cut out anew, whether the data of the larger side was used for its score or not: features get the
      // same numbers, and sums the same bits.
      const std::vector<RowIndex> rest = larger.items;
      if (!first && is_large(leaf)) first = std::move(trial), first_known = std::move(known);
      known = {};
      trial = try_items(rest, {}, mix(key, 2 + static_cast<std::uint64_t>(trials)), tree_.cost);
    }
    std::ranges::sort(outliers);
    tree_.nodes[leaf].outliers = std::move(outliers);
    adopt(leaf, std::move(*trial), std::move(known), tree_.leaves + 1 == wanted);
  }

  bool is_large(Index node) const {
    constexpr Index part = 10;
    return static_cast<Index>(tree_.nodes[node].items.size()) * part >= tree_.cols;
  }

  static std::uint64_t child_key(std::uint64_t key, int side) { return mix(key, static_cast<std::uint64_t>(side)); }

  // Makes the two sides of the trial the children of `leaf`, and scores those that have no known score unless this is
  // the last split.
  void adopt(Index leaf, TrialSplit<T> trial, std::array<std::optional<Scored<T>>, 2> known, bool last) {
    const int number = tree_.splits() + 1;
    const Index first = static_cast<Index>(tree_.nodes.size());
    tree_.nodes[leaf].first = first;
    tree_.nodes[leaf].second = first + 1;
    tree_.nodes[leaf].split = number;
    ++tree_.leaves;

    std::array<Scored<T>, 2> scored;
    std::array<std::uint64_t, 2> keys{};
    for (int s = 0; s < 2; ++s) keys[s] = child_key(pending_[leaf].key, s);
    if (!last && !known[0] && !known[1]) {
      scored = std::move(*score_sides(trial, pending_[leaf].key));
      for (const Scored<T>& child : scored) add_cost(child.cost, tree_.cost);
    } else if (!last) {
      parallel_for(2, [&](Index s) {
        if (!known[s]) scored[s] = score(trial.sides[s], keys[s]);
      });
      for (int s = 0; s < 2; ++s) {
        add_cost(scored[s].cost, tree_.cost);
        if (known[s]) scored[s] = std::move(*known[s]);
      }
    }
    for (int s = 0; s < 2; ++s) {
      Side<T>& side = trial.sides[s];
      TreeNode<T> node;
      node.parent = leaf;
      node.items = std::move(side.items);
      node.weights = std::move(side.weights);
      node.shares = std::move(side.shares);
      node.topic = std::move(side.topic);
      node.squared_norm = side.squared_norm;
      node.explained = side.explained;
      if (!last) node.score = scored[s].score;
      node.leaf = scored[s].leaf;
      tree_.nodes.push_back(std::move(node));
      pending_.push_back({keys[s], std::move(scored[s].trial), std::move(scored[s].children)});
    }
  }

  const TreeData<T>& x_;
  const TreeOptions& options_;
  SplitMemory<T>* memory_;
  std::span<const double> squared_norms_;
  std::optional<Mndcg> mndcg_;
  TrialOptions trial_;
  Index many_items_ = 0;  // a node with so many is sure to be split
  Tree<T> tree_;
  std::vector<Pending<T>> pending_;
};

template <class T>
void check(const TreeData<T>& x, const TreeOptions& options) {
  const auto require = [](bool holds, const std::string& otherwise) {
    if (!holds) throw InvalidArgument(otherwise);
  };
  require(options.leaves >= 1, "A tree needs at least one leaf, not " + std::to_string(options.leaves) + ".");
  require(options.outlier_trials >= 0, "The number of outlier trials must not be negative.");
  require(options.imbalance > 1, "The imbalance beta must be greater than 1.");
  require(options.smallest_split >= 2, "The smallest node to split must have at least two items.");
  require(options.tolerance >= 0, "The tolerance must not be negative.");
  require(options.max_iterations >= 2, "The limit of iterations must be at least 2.");
  require(x.rows() > 0 && x.cols() > 0, "A matrix without features or without items has no tree.");
  require(x.cols() <= std::numeric_limits<RowIndex>::max(), "A tree can have at most 2^31 - 1 items.");
}

}  // namespace

template <class T>
Tree<T> build_tree(const TreeData<T>& x, const TreeOptions& options, SplitMemory<T>* memory) {
  check(x, options);
  return Builder<T>(x, options, memory).build();
}

template <class T>
void grow(Tree<T>& tree, Index node, const TreeData<T>& x, const TreeOptions& options) {
  check(x, options);
  if (x.rows() != tree.rows || x.cols() != tree.cols)
    throw InvalidArgument("The tree was built from another matrix: it has " + std::to_string(tree.rows) +
                          " features and " + std::to_string(tree.cols) + " items, the matrix " +
                          std::to_string(x.rows()) + " and " + std::to_string(x.cols()) + ".");
  if (tree.nodes[node].first >= 0) throw InvalidArgument("Node " + tree.id(node) + " is split already.");
  tree = Builder<T>(x, options, nullptr).grow(std::move(tree), node);
}

#define COPSE_INSTANTIATE(T)                                                            \
  template Tree<T> build_tree(const TreeData<T>&, const TreeOptions&, SplitMemory<T>*); \
  template void grow(Tree<T>&, Index, const TreeData<T>&, const TreeOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
