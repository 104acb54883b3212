#include "copse/describe/result.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "copse/base/version.h"
#include "copse/graph/graph.h"
#include "copse/graph/quality.h"

namespace copse {
namespace {

ViewLimits limits_for(Index top) { return {.words = static_cast<std::size_t>(std::max(top, most_words))}; }

// Outliers are a cluster of their own [Kuang 2014, section 5.6.3].
std::vector<Index> numbered(const Tree& tree, std::vector<Index> leaf) {
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

void measure(TreeResult& result) {
  const Tree& tree = result.tree();
  const ModelItems& items = result.model.items;
  if (items.classes.empty()) return;
  result.partition_measures.clear();
  for (int s = 1; s <= tree.splits(); ++s)
    result.partition_measures.push_back(*measure(items, of_all(items, numbered(tree, tree.partition(s)))));
  result.report.measures = measure(items, result.view.labels());
  if (!result.flat().empty())
    result.report.leaf_measures = measure(items, of_all(items, numbered(tree, tree.partition(tree.splits()))));
}

// What the report says of these nodes of the view.
void take_topics(const std::vector<Index>& nodes, const std::vector<Index>& labels, const ModelItems& items,
                 Result& result) {
  std::vector<Topic>& topics = result.report.topics;
  topics.clear();
  for (const Index n : nodes) {
    Topic& topic = topics.emplace_back(result.view.nodes[n]);
    if (!topic.community) topic.words.resize(std::min(topic.words.size(), static_cast<std::size_t>(result.top)));
  }
  result.report.items_without_cluster = std::ranges::count(labels, Index(-1));
  if (!items.classes.empty() && !result.report.graph) add_main_classes(topics, labels, items.classes);
}

std::vector<Index> first_nodes(Index count) {
  std::vector<Index> nodes(static_cast<std::size_t>(count));
  std::iota(nodes.begin(), nodes.end(), Index(1));  // nodes[0] is the root
  return nodes;
}

std::vector<Index> below_root(std::vector<Index> labels) {
  for (Index& label : labels) label -= label > 0 ? 1 : 0;
  return labels;
}

}  // namespace

std::vector<Index> cluster_labels(const FlatResult& result) { return below_root(result.view.labels()); }

std::vector<Index> cluster_labels(const GraphResult& result) { return below_root(result.view.labels()); }

std::vector<Index> cluster_labels(const TreeResult& result) {
  const auto leaves = result.tree().leaf_nodes();
  std::vector<Index> number(result.tree().nodes.size(), -1);
  for (std::size_t c = 0; c < leaves.size(); ++c) number[leaves[c]] = static_cast<Index>(c);
  std::vector<Index> labels = result.view.labels();
  for (Index& label : labels) label = label < 0 ? -1 : number[label];
  return labels;
}

void describe(FlatResult& result) {
  result.report.kind = "flat";
  result.view = view_of(result.model, limits_for(result.top));
  const std::vector<Index> labels = cluster_labels(result);
  result.report.measures = measure(result.model.items, labels);
  take_topics(first_nodes(result.model.w.cols()), labels, result.model.items, result);
}

void describe(TreeResult& result) {
  result.view = view_of(result.model, limits_for(result.top));
  RunReport& report = result.report;
  report.kind = find_setting(report.settings, "similarity") == nullptr ? "tree" : "community-tree";
  report.version = version();
  report.k = result.tree().leaves;
  report.rows = result.tree().rows;
  report.cols = result.tree().cols;
  measure(result);
  take_topics(result.tree().leaf_nodes(), cluster_labels(result), result.model.items, result);
}

void describe(GraphResult& result) {
  const CommunityModel& model = result.model;
  RunReport& report = result.report;
  report.kind = "communities";
  result.view = view_of(model, {.representatives = static_cast<std::size_t>(result.top), .overlap = result.overlap});
  GraphFacts& facts = report.graph.emplace();
  const auto look = [&]<class T>(const CommunityGraph<T>& graph) {
    const GraphQuality quality = graph_quality<T>(graph.weights, model.labels);
    const Components components = connected_components<T>(graph.weights);
    facts.edges = graph.weights.nonzeros() / 2;
    facts.components = components.count();
    facts.isolated = components.isolated;
    facts.modularity = quality.modularity;
    facts.normalized_cut = quality.normalized_cut;
    facts.coverage = quality.coverage;
  };
  std::visit(look, model.graph);
  facts.nodes = model.nodes();
  facts.labels_of_start = model.labels_of_start;
  for (std::size_t n = static_cast<std::size_t>(model.k()) + 1; n < result.view.nodes.size(); ++n) {
    ++facts.pieces;
    facts.nodes_set_aside += result.view.nodes[n].size;
  }
  const std::vector<Index> labels = cluster_labels(result);
  report.measures = measure(model.items, labels);
  take_topics(first_nodes(model.k()), labels, model.items, result);
  for (const Topic& topic : report.topics)
    facts.conductance += topic.community->conductance / static_cast<double>(report.topics.size());
}

std::string explain_leaves(const Tree& tree, Index wanted, bool automatic) {
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

}  // namespace copse
