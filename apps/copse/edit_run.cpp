#include "apps/copse/edit_run.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/copse/document_facts.h"
#include "apps/copse/interrupt.h"
#include "apps/copse/memory.h"
#include "apps/copse/result_page.h"
#include "apps/copse/stopwatch.h"
#include "apps/copse/stored_result.h"
#include "apps/copse/tree_result.h"
#include "apps/copse/words.h"
#include "copse/base/error.h"
#include "copse/kernels/in_memory.h"
#include "copse/tree/edit.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

constexpr std::size_t most_versions = 10;

// The largest way down.
template <class T>
Index leaf_below(const Tree<T>& tree, Index node) {
  while (tree.nodes[node].first >= 0) node = tree.nodes[node].first;
  return node;
}

// The leaves as the model's topics, where no data is at hand to fit the items to them.
template <class T>
void take_leaves(TreeResult<T>& result) {
  result.model.topics = leaf_topics(result.tree());
  result.report.relative_error = relative_error_of_leaves(result.tree());
}

// Splits a leaf with the data at hand, and fits all items to the new leaves.
template <class T>
void split(const EditOptions& options, const StoredResult& stored, TreeResult<T>& result, Terminal& terminal) {
  TreeVersion<T>& version = result.model.versions.back();
  const Index node = version.tree.find(*options.split), before = version.tree.leaves;
  if (const Index leaf = leaf_below(version.tree, node); leaf != node) {
    throw InvalidArgument(
        fmt::format("Node {} is split already: name a leaf below it, such as {}, or make it a leaf with --merge.",
                    *options.split, version.tree.id(leaf)));
  }
  Seconds& seconds = result.report.seconds;
  const MatrixInput<T> input =
      load<T>(stored.input(result.model.items.vocabulary), {.threads = options.threads}, 1, terminal, seconds);
  const Stopwatch solving;
  TreeOptions tree_options = stored.tree();
  tree_options.leaves = options.into;
  grow(version.tree, node, *tree_data(input.data), tree_options);
  if (version.tree.leaves == before) throw InvalidArgument("Node " + *options.split + " cannot be split further.");
  if (version.flat.empty()) {
    take_leaves(result);
  } else {
    fit_flat(*in_memory(input.data), result);
  }
  seconds.solve = solving.seconds();
  if (result.model.items.is_text())
    add_document_facts(input.data, options.output.page ? input.documents.source.get() : nullptr, result.model);
}

// Takes each item's flat leaf from the tree before to the node of the tree now that holds it: nodes that remain keep
// their ids. An item whose flat leaf was dropped has none.
template <class T>
std::vector<Index> carried(const Tree<T>& before, const std::vector<Index>& flat, const Tree<T>& now) {
  std::vector<Index> target(before.nodes.size(), 0);  // the same node, or its nearest ancestor that is still there
  for (Index n = 1; n < static_cast<Index>(before.nodes.size()); ++n) {
    const Index parent = before.nodes[n].parent, above = target[parent];
    const bool first = before.nodes[parent].first == n;
    target[n] = now.nodes[above].first < 0 ? above : first ? now.nodes[above].first : now.nodes[above].second;
  }
  std::vector<Index> result;
  for (const Index leaf : flat) {
    const Index node = leaf < 0 ? -1 : target[leaf];
    result.push_back(node < 0 || now.nodes[node].dropped ? -1 : node);
  }
  return result;
}

// Changes the last version and says what was done.
template <class T>
std::string change(const EditOptions& options, const StoredResult& stored, TreeResult<T>& result, Terminal& terminal) {
  Tree<T>& tree = result.model.versions.back().tree;
  if (options.cut > 0) {
    cut(tree, options.cut);
    return fmt::format("cut to {}", counted(options.cut, "leaf node"));
  }
  if (options.merge) {
    merge(tree, tree.find(*options.merge));
    return "merged what was below " + *options.merge;
  }
  if (options.drop) {
    drop(tree, tree.find(*options.drop));
    return "dropped " + *options.drop;
  }
  if (options.rename) {
    tree.nodes[tree.find(*options.rename)].name = options.name;
    return fmt::format("renamed {} to \"{}\"", *options.rename, options.name);
  }
  const Index before = tree.leaves;
  split(options, stored, result, terminal);
  return fmt::format("split {} into {}", *options.split, tree.leaves - before + 1);
}

template <class T>
void edit(const EditOptions& options, const StoredResult& stored, TreeResult<T>& result, Terminal& terminal) {
  TreeModel<T>& model = result.model;
  const Stopwatch reading;
  model = read_tree_model<T>(stored.model_path());
  result.report.seconds.read = reading.seconds();
  if (options.undo) {
    if (model.versions.size() < 2) throw InvalidArgument("There is nothing to undo.");
    model.versions.pop_back();
    model.history.pop_back();
    return take_leaves(result);
  }
  model.versions.push_back(model.versions.back());
  const std::string done = change(options, stored, result, terminal);
  if (!options.split) {
    const TreeVersion<T>& before = model.versions[model.versions.size() - 2];
    model.versions.back().flat = carried(before.tree, before.flat, result.tree());
    take_leaves(result);
  }
  model.history.push_back(done);
  if (model.versions.size() > most_versions) model.versions.erase(model.versions.begin());
  terminal.say(done);
}

template <class T>
int run_edit_of(const EditOptions& options, const StoredResult& stored) {
  Terminal terminal(options.output.quiet);
  const Stopwatch whole;
  TreeResult<T> result;
  with_threads(options.threads, &interruption(), [&] { edit(options, stored, result, terminal); });
  with_threads(options.threads, nullptr, [&] {
    const Stopwatch writing;
    RunReport& report = result.report;
    report.command = "edit";
    report.settings = stored.settings();
    report.seed = stored.seed();
    report.threads = thread_count();
    report.nonzeros = stored.nonzeros();
    report.stop_reason = StopReason::converged;
    describe(result, 10);
    OutputFolder folder(options.output.folder, true);
    folder.keep(own_documents_file);
    write_files(folder, result);
    if (options.output.page) add_page(folder, result.view, result.model.items, report);
    report.seconds.write = writing.seconds();
    report.seconds.total = whole.seconds();
    report.peak_memory_bytes = peak_memory();
    folder.add("result.json").write(to_json(report));
    folder.commit();
    show(result, options.output, terminal);
  });
  return interrupted_exit_code();
}

}  // namespace

int run_edit(EditOptions options) {
  const StoredResult stored(options.output.folder);
  if (!stored.is_tree()) throw InputError(fmt::format("{} is not the folder of a tree.", options.output.folder));
  // A result without a page may be one that is to hold no text.
  options.output.page = std::filesystem::exists(options.output.folder + "/report.html");
  return stored.precision() == Precision::single ? run_edit_of<float>(options, stored)
                                                 : run_edit_of<double>(options, stored);
}

}  // namespace copse
