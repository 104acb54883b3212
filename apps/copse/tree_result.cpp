#include "apps/copse/tree_result.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "apps/copse/result_page.h"
#include "apps/copse/topics.h"
#include "apps/copse/words.h"
#include "copse/nmf/clusters.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

// A table of partitions larger than this is not written; the numbers of the splits in tree.json tell the same.
constexpr double most_partition_cells = 2e7;

// Outliers are a cluster of their own (thesis 5.6.3).
template <class T>
std::vector<Index> numbered(const Tree<T>& tree, std::vector<Index> leaf) {
  for (Index& label : leaf) {
    if (label < 0) label = static_cast<Index>(tree.nodes.size());
  }
  return leaf;
}

template <class T>
void measure(TreeResult<T>& result) {
  const Tree<T>& tree = result.tree();
  const ModelItems& items = result.model.items;
  if (items.classes.empty()) return;
  for (int s = 1; s <= tree.splits(); ++s)
    result.texts.partitions.push_back(*measure(items, numbered(tree, tree.partition(s))));
  result.report.measures = measure(items, numbered(tree, tree.partition(tree.splits())));
  if (!result.flat().empty()) result.texts.flat = measure(items, numbered(tree, result.flat()));
}

template <class T>
void describe_leaves(TreeResult<T>& result, const std::vector<std::string>& classes) {
  const Tree<T>& tree = result.tree();
  const auto leaves = tree.leaf_nodes();
  std::vector<Index> number(tree.nodes.size(), -1);
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    const TreeNode<T>& node = tree.nodes[leaves[c]];
    number[leaves[c]] = static_cast<Index>(c);
    Topic topic;
    topic.items = static_cast<Index>(node.items.size());
    topic.coherence = result.view.nodes[leaves[c]].coherence;
    for (std::size_t r = 0; r < std::min<std::size_t>(result.texts.top, node.topic.terms.size()); ++r) {
      const auto& names = result.texts.feature_names;
      topic.top_features.emplace_back(names.empty() ? std::to_string(node.topic.terms[r]) : names[node.topic.terms[r]],
                                      static_cast<double>(node.topic.weights[r]));
    }
    result.report.topics.push_back(std::move(topic));
  }
  auto labels = tree.partition(tree.splits());
  for (Index& label : labels) label = label < 0 ? -1 : number[label];
  result.report.items_without_cluster = std::ranges::count(labels, Index(-1));
  if (!classes.empty()) add_main_classes(result.report.topics, labels, classes);
}

}  // namespace

template <class T>
void fit_flat(const Data<T>& x, TreeResult<T>& result) {
  result.model.topics = leaf_topics(x, result.tree());
  const Matrix<T> h = flatten(x, result.model.topics);
  const auto leaves = result.tree().leaf_nodes();
  std::vector<Index>& flat = result.model.versions.back().flat;
  flat.clear();
  for (const Index label : cluster_items(h).labels) flat.push_back(label < 0 ? -1 : leaves[label]);
  result.report.relative_error = relative_error(x, result.model.topics, h);
}

template <class T>
double relative_error_of_leaves(const Tree<T>& tree) {
  double rest = tree.nodes[0].squared_norm;
  for (const Index leaf : tree.leaf_nodes()) rest -= tree.nodes[leaf].explained;
  return tree.nodes[0].squared_norm > 0 ? std::sqrt(std::max(0.0, rest) / tree.nodes[0].squared_norm) : 0;
}

template <class T>
void describe(TreeResult<T>& result, Index top) {
  const ModelItems& items = result.model.items;
  result.view = view_of(result.model);
  result.texts = {.feature_names = items.feature_names,
                  .item_names = items.item_names,
                  .kept_items = items.kept_items,
                  .dropped_name = items.dropped_name(),
                  .top = top,
                  .history = result.model.history};
  RunReport& report = result.report;
  report.version = COPSE_VERSION;
  report.k = result.tree().leaves;
  report.rows = result.tree().rows;
  report.cols = result.tree().cols;
  measure(result);
  describe_leaves(result, kept_classes(items));
}

template <class T>
void write_files(OutputFolder& folder, TreeResult<T>& result) {
  folder.add("tree.json").write(tree_json(result.tree(), result.texts));
  folder.add("tree.newick").write(tree_newick(result.tree()));
  folder.add("assignments.tsv").write(tree_assignments_tsv(result.tree(), result.texts, result.flat()));
  folder.add("topics.tsv").write(topics_tsv(result.report.topics));
  const double cells = static_cast<double>(result.texts.item_names.size()) * result.tree().splits();
  if (cells <= most_partition_cells) {
    folder.add("partitions.tsv").write(partitions_tsv(result.tree(), result.texts));
  } else {
    result.report.notes.push_back(
        "partitions.tsv would be too large; the numbers of the splits in tree.json tell the same.");
  }
  OutputFile& file = folder.add("model.safetensors");
  write_tree_model(file, result.model, result.report.settings);
  file.finish();
}

template <class T>
void show(const TreeResult<T>& result, const OutputOptions& output, Terminal& terminal) {
  const RunReport& report = result.report;
  terminal.clear();
  if (output.json) {
    print_data(to_json(report));
  } else if (output.folder.empty() || !output.quiet) {
    print_data(tree_table(result.tree(), result.texts, ::isatty(STDOUT_FILENO) != 0 ? terminal_width() : 0));
  }
  for (const std::string& note : report.notes) terminal.say("note: " + note);
  if (!result.texts.explanation.empty()) terminal.say("note: " + result.texts.explanation);
  terminal.say(fmt::format("{}, {} set aside", counted(result.tree().leaves, "leaf node"),
                           counted(report.items_without_cluster, "item")));
  if (report.measures) terminal.say("tree: " + measures_line(*report.measures));
  if (result.texts.flat) terminal.say("flat: " + measures_line(*result.texts.flat));
  say_end(report, output, terminal);
}

#define COPSE_INSTANTIATE(T)                                \
  template void fit_flat(const Data<T>&, TreeResult<T>&);   \
  template double relative_error_of_leaves(const Tree<T>&); \
  template void describe(TreeResult<T>&, Index);            \
  template void write_files(OutputFolder&, TreeResult<T>&); \
  template void show(const TreeResult<T>&, const OutputOptions&, Terminal&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
