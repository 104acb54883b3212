#include "copse/describe/tree_result.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "copse/base/version.h"
#include "copse/describe/topics.h"
#include "copse/graph/joint_nmf.h"
#include "copse/nmf/clusters.h"
#include "copse/nmf/error.h"
#include "copse/tree/flatten.h"
#include "copse/tree/join.h"

namespace copse {
namespace {

// Outliers are a cluster of their own [Kuang 2014, section 5.6.3].
template <class T>
std::vector<Index> numbered(const Tree<T>& tree, std::vector<Index> leaf) {
  for (Index& label : leaf) {
    if (label < 0) label = static_cast<Index>(tree.nodes.size());
  }
  return leaf;
}

// The same for all items of the file; -1 for those that are not in the tree.
std::vector<Index> of_all(const ModelItems& items, const std::vector<Index>& labels) {
  std::vector<Index> all;
  for (const Index j : items.kept_numbers()) all.push_back(j < 0 ? -1 : labels[j]);
  return all;
}

template <class T>
void measure(TreeResult<T>& result) {
  const Tree<T>& tree = result.tree();
  const ModelItems& items = result.model.items;
  if (items.classes.empty()) return;
  result.partition_measures.clear();
  for (int s = 1; s <= tree.splits(); ++s)
    result.partition_measures.push_back(*measure(items, of_all(items, numbered(tree, tree.partition(s)))));
  result.report.measures = measure(items, result.view.labels());
  if (!result.flat().empty())
    result.report.leaf_measures = measure(items, of_all(items, numbered(tree, tree.partition(tree.splits()))));
}

template <class T>
void describe_leaves(TreeResult<T>& result) {
  const Tree<T>& tree = result.tree();
  const auto leaves = tree.leaf_nodes();
  const JoinedTopics<T> topics(tree);
  const auto& names = result.model.items.feature_names;
  std::vector<Index> number(tree.nodes.size(), -1);
  result.report.topics.clear();
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    number[leaves[c]] = static_cast<Index>(c);
    Topic topic;
    topic.items = result.view.nodes[leaves[c]].size;
    topic.label = result.view.nodes[leaves[c]].label;
    topic.stability = result.view.nodes[leaves[c]].stability;
    topic.coherence = result.view.nodes[leaves[c]].coherence;
    const RankedTerms<T>& words = topics(leaves[c]);
    for (std::size_t r = 0; r < std::min<std::size_t>(result.top, words.terms.size()); ++r) {
      topic.top_features.emplace_back(names.empty() ? std::to_string(words.terms[r]) : names[words.terms[r]],
                                      static_cast<double>(words.weights[r]));
    }
    result.report.topics.push_back(std::move(topic));
  }
  std::vector<Index> labels = result.view.labels();
  for (Index& label : labels) label = label < 0 ? -1 : number[label];
  result.report.items_without_cluster = std::ranges::count(labels, Index(-1));
  const auto& classes = result.model.items.classes;
  if (!classes.empty()) add_main_classes(result.report.topics, labels, classes);
}

template <class T>
double relative_error_of_leaves(const Tree<T>& tree) {
  double rest = tree.nodes[0].squared_norm;
  for (const Index leaf : tree.leaf_nodes()) rest -= tree.nodes[leaf].explained;
  return tree.nodes[0].squared_norm > 0 ? std::sqrt(std::max(0.0, rest) / tree.nodes[0].squared_norm) : 0;
}

}  // namespace

template <class T>
void fit_flat(const Data<T>& x, TreeResult<T>& result, const Graph<T>* graph, double weight) {
  result.model.topics = leaf_topics(x, result.tree());
  const auto leaves = result.tree().leaf_nodes();
  const auto node_of = [&](Index label) { return label < 0 ? -1 : leaves[label]; };
  TreeVersion<T>& version = result.model.versions.back();
  const auto items = static_cast<std::size_t>(x.cols());
  version.flat.resize(items);
  version.flat_weights.resize(items);
  version.flat_second.resize(items);
  version.flat_second_weights.resize(items);
  const auto take = [&](Index first, const Matrix<T>& h) {
    for (Index i = 0; i < h.rows(); ++i) {
      const BestTwo best = best_two(h.row(i));
      const auto j = static_cast<std::size_t>(first + i);
      version.flat[j] = node_of(best.first);
      version.flat_weights[j] = best.first_share;
      version.flat_second[j] = node_of(best.second);
      version.flat_second_weights[j] = best.second_share;
    }
  };
  if (graph == nullptr) {
    result.report.relative_error = flatten<T>(x, result.model.topics, take);
    return;
  }
  // The graph ties items to each other: all of H at once.
  Matrix<T> h = flatten(x, result.model.topics);
  const JointOptions joint{.nmf = {.rank = h.cols()}, .weight = weight, .keep_w = true};
  h = factorize_joint<T>(x, graph->weights, joint, result.model.topics, std::move(h)).nmf.h;
  take(0, h);
  result.report.relative_error = relative_error(x, result.model.topics, h);
}

template <class T>
void take_leaves(TreeResult<T>& result) {
  result.model.topics = leaf_topics(result.tree());
  result.report.relative_error = relative_error_of_leaves(result.tree());
}

template <class T>
void describe(TreeResult<T>& result) {
  result.view = view_of(result.model);
  RunReport& report = result.report;
  report.version = version();
  report.k = result.tree().leaves;
  report.rows = result.tree().rows;
  report.cols = result.tree().cols;
  measure(result);
  describe_leaves(result);
}

template <class T>
std::string explain_leaves(const Tree<T>& tree, Index wanted, bool automatic) {
  if (tree.leaves >= wanted) {
    return automatic ? "The tree has " + std::to_string(wanted) + " leaves, the most that were allowed." : "";
  }
  const std::string begin = "The tree has " + std::to_string(tree.leaves) + (tree.leaves == 1 ? " leaf" : " leaves") +
                            (automatic ? ": " : ", not " + std::to_string(wanted) + ": ");
  if (tree.stop_reason == StopReason::interrupted) return begin + "the run was interrupted.";
  if (tree.stop_reason == StopReason::time_limit) return begin + "the time was over.";
  std::array<Index, 5> counts{};
  for (const Index leaf : tree.leaf_nodes()) ++counts[static_cast<std::size_t>(tree.nodes[leaf].leaf)];
  std::string reasons;
  const auto add = [&](Leaf leaf, const char* reason) {
    const Index count = counts[static_cast<std::size_t>(leaf)];
    if (count > 0) reasons += (reasons.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
  };
  add(Leaf::too_small, "with too few items");
  add(Leaf::one_sided, "whose items all point the same way");
  add(Leaf::only_outliers, "that would only lose outliers");
  add(Leaf::not_worth_it, "that two topics explain no better than one");
  add(Leaf::open, "whose score is too low");
  return begin + "no leaf can be split further (" + reasons + ").";
}

#define COPSE_INSTANTIATE(T)                                                       \
  template void fit_flat(const Data<T>&, TreeResult<T>&, const Graph<T>*, double); \
  template void take_leaves(TreeResult<T>&);                                       \
  template void describe(TreeResult<T>&);                                          \
  template std::string explain_leaves(const Tree<T>&, Index, bool);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
