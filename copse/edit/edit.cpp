#include "copse/edit/edit.h"

#include <fmt/format.h>

#include <unordered_map>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/describe/document_facts.h"
#include "copse/describe/read_result.h"
#include "copse/input/stored_input.h"
#include "copse/kernels/in_memory.h"
#include "copse/options/wording.h"
#include "copse/run/assign.h"
#include "copse/run/graph_tree_run.h"
#include "copse/run/leaves.h"
#include "copse/tree/edit.h"
#include "copse/tree/flatten.h"
#include "copse/tree/ids.h"
#include "copse/tree/join.h"

namespace copse {
namespace {

constexpr std::size_t most_versions = 10;

// The largest way down.
Index leaf_below(const Tree& tree, Index node) {
  while (tree.nodes[node].first >= 0) node = tree.nodes[node].first;
  return node;
}

// The leaf that is to be split. Throws InvalidArgument if it is split already.
Index leaf_to_split(const Tree& tree, const std::string& id) {
  const Index node = tree.find(id), leaf = leaf_below(tree, node);
  if (tree.nodes[node].joined >= 0)
    throw InvalidArgument(fmt::format("Node {} was merged into {}: split that.", id, tree.id(joined_end(tree, node))));
  if (leaf == node) return node;
  throw InvalidArgument(
      fmt::format("Node {} is split already: name a leaf below it, such as {}, or make it a leaf with `merge`.", id,
                  tree.id(leaf)));
}

// Splits a leaf with the data at hand, and fits all items to the new leaves.
template <class T>
std::string split_leaf(const Edit& change, TreeOptions options, const RunData<T>& data, TreeResult& result) {
  TreeVersion& version = result.model.versions.back();
  const Index node = leaf_to_split(version.tree, *change.split), before = version.tree.leaves;
  const Stopwatch solving;
  options.leaves = change.into;
  grow(version.tree, node, *data.nodes(), options);
  if (version.tree.leaves == before) throw InvalidArgument("Node " + *change.split + " cannot be split further.");
  if (version.flat.empty()) {
    take_leaves(result);
  } else {
    fit_flat(data.x, result);
  }
  result.report.seconds.solve = solving.seconds();
  return fmt::format("split {} into {}", *change.split, version.tree.leaves - before + 1);
}

// Takes the flat leaves of the items from the tree before to the nodes of the tree now that hold them: nodes that
// remain keep their ids. A leaf that was dropped is none; two that became one add up.
void carry_flat(const TreeVersion& before, TreeVersion& now) {
  std::vector<Index> target(before.tree.nodes.size(), 0);  // the same node, or its nearest ancestor that is still there
  for (Index n = 1; n < static_cast<Index>(before.tree.nodes.size()); ++n) {
    const Index parent = before.tree.nodes[n].parent, above = target[parent];
    const TreeNode& place = now.tree.nodes[above];
    target[n] = place.first < 0 ? above : before.tree.nodes[parent].first == n ? place.first : place.second;
  }
  const auto carried = [&](Index leaf) {
    const Index node = leaf < 0 ? -1 : joined_end(now.tree, target[leaf]);
    return node < 0 || now.tree.nodes[node].dropped ? -1 : node;
  };
  for (std::size_t j = 0; j < before.flat.size(); ++j) {
    now.flat[j] = carried(before.flat[j]);
    now.flat_second[j] = carried(before.flat_second[j]);
    if (now.flat_second[j] >= 0 && now.flat[j] != now.flat_second[j]) continue;
    if (now.flat_second[j] >= 0) now.flat_weights[j] += now.flat_second_weights[j];
    now.flat_second[j] = -1;
    now.flat_second_weights[j] = 0;
  }
}

// Calls give(position, name) for every name; `ids` are in full, `what` is "node" or "topic".
template <class Give>
std::string give_names(const Edit& change, const std::vector<std::string>& ids, const char* what, const Give& give) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t n = 0; n < ids.size(); ++n) known.emplace(ids[n], n);
  for (const GivenName& given : change.names) {
    const auto found = known.find(full_id(given.id));
    if (found == known.end())
      throw InputError(fmt::format("{}, line {}: there is no {} {}.", change.names_source, given.line, what, given.id));
    give(found->second, given.name);
  }
  return fmt::format("named {}", counted(static_cast<Index>(change.names.size()), what));
}

std::string renamed(const Edit& change) { return fmt::format("renamed {} to \"{}\"", *change.rename, change.name); }

// Changes that need no data. Returns what was done.
std::string rearrange(const Edit& change, Tree& tree) {
  if (change.cut > 0) {
    cut(tree, change.cut);
    return fmt::format("cut to {}", counted(change.cut, "leaf node"));
  }
  if (change.merge && change.with) {
    const Index node = tree.find(*change.merge), other = tree.find(*change.with), leaf = tree.nodes[node].parent;
    const bool siblings = leaf == tree.nodes[other].parent && node != other;
    join(tree, node, other);
    return siblings ? fmt::format("merged {} and {} into {}", *change.merge, *change.with,
                                  leaf == 0 ? "the root" : tree.id(leaf))
                    : fmt::format("merged {} into {}", *change.with, *change.merge);
  }
  if (change.merge) {
    merge(tree, tree.find(*change.merge));
    return "merged what was below " + *change.merge;
  }
  if (change.drop) {
    drop(tree, tree.find(*change.drop));
    return "dropped " + *change.drop;
  }
  if (!change.names.empty()) {
    std::vector<std::string> ids = {"-"};  // the root has no name
    for (Index n = 1; n < static_cast<Index>(tree.nodes.size()); ++n) ids.push_back(tree.id(n));
    return give_names(change, ids, "node", [&](std::size_t n, const std::string& name) { tree.nodes[n].name = name; });
  }
  tree.nodes[tree.find(*change.rename)].name = change.name;
  return renamed(change);
}

void undo(TreeResult& result) {
  TreeModel& model = result.model;
  if (model.versions.size() < 2) throw InvalidArgument("There is nothing to undo.");
  model.versions.pop_back();
  model.history.pop_back();
  take_leaves(result);
}

}  // namespace

template <class T>
void edit(const Edit& change, const TreeOptions& options, const RunData<T>* data, TreeResult& result) {
  if (change.undo) return undo(result);
  TreeModel& model = result.model;
  model.versions.push_back(model.versions.back());
  try {
    if (change.split) {
      if (data == nullptr) throw InvalidArgument("A split needs the data that the tree was made from.");
      model.history.push_back(split_leaf(change, options, *data, result));
    } else {
      const TreeVersion& before = model.versions[model.versions.size() - 2];
      const std::string done = rearrange(change, model.versions.back().tree);
      carry_flat(before, model.versions.back());
      take_leaves(result);
      model.history.push_back(done);
    }
  } catch (...) {
    model.versions.pop_back();
    throw;
  }
  if (model.versions.size() > most_versions) model.versions.erase(model.versions.begin());
}

namespace {

// The data that the tree was made from, once more, and the split.
template <class T>
void split_again(const StoredResult& stored, const Edit& change, bool keep_texts, const RunEvents& events,
                 TreeResult& result) {
  RunReport& report = result.report;
  const TreeOptions options = tree_options_in(report.settings, report.seed);
  if (stored.is_graph_tree()) {
    const GraphTreeData<T> graph(report.settings, events, report.seconds);
    const RunData<T> data = graph.run_data();
    edit(change, options, &data, result);
    return uninterrupted([&] { place_outside(data.outside, report.settings, result.model); });
  }
  const InputOptions again = input_options_in(report.settings, result.model.items.vocabulary, stored.folder);
  if (again.path.empty())
    throw InputError(stored.folder + " was made from data in memory, which a split needs: split it in Python.");
  const MemoryJob job{.gives = Gives::tree, .clusters = result.tree().leaves + change.into};
  const PreparedInput<T> input = load<T>(again, job, events, report.seconds);
  const std::unique_ptr<Data<T>> x = in_memory(input.data);
  const RunData<T> data = run_data(input, *x, keep_texts);
  edit(change, options, &data, result);
  uninterrupted([&] {
    place_outside(data.outside, report.settings, result.model);
    if (data.words != nullptr) add_document_facts(*data.words, data.documents, result.model);
  });
}

}  // namespace

TreeResult edit_stored(const StoredResult& stored, const Edit& change, bool keep_texts, const RunEvents& events) {
  TreeResult result;
  RunReport& report = result.report;
  const Stopwatch reading;
  result.model = read_tree_model(stored.model);
  report.seconds.read = reading.seconds();
  report.command = "edit";
  report.settings = stored.report.settings;
  report.seed = stored.report.seed;
  report.nonzeros = stored.report.nonzeros;
  report.stop_reason = StopReason::converged;
  if (change.split) leaf_to_split(result.tree(), *change.split);  // before the data is read
  with_precision(result.tree().precision, [&]<class T> {
    change.split ? split_again<T>(stored, change, keep_texts, events, result) : edit<T>(change, {}, nullptr, result);
  });
  uninterrupted([&] {
    report.threads = thread_count();
    describe(result);
  });
  return result;
}

void edit(const Edit& change, FlatResult& result) {
  FlatModel& model = result.model;
  if (change.undo) {
    if (model.names.empty()) throw InvalidArgument("There is nothing to undo.");
    model.names.pop_back();
    model.history.pop_back();
    return;
  }
  if (!change.rename && change.names.empty())
    throw InvalidArgument(
        "Flat topics can be named (`rename`, `names`) and names taken back (`undo`); only a tree can be split, cut, "
        "merged or dropped from.");
  std::vector<std::string> ids;
  for (Index c = 0; c < model.w.cols(); ++c) ids.push_back(std::to_string(c));
  std::vector<std::string> names = model.names.empty() ? std::vector<std::string>(ids.size()) : model.names.back();
  std::string done;
  if (change.rename) {
    const auto found = std::ranges::find(ids, *change.rename);
    if (found == ids.end())
      throw InvalidArgument(fmt::format("There is no topic {}: they are 0 to {}.", *change.rename, ids.back()));
    names[static_cast<std::size_t>(found - ids.begin())] = change.name;
    done = renamed(change);
  } else {
    done = give_names(change, ids, "topic", [&](std::size_t n, const std::string& name) { names[n] = name; });
  }
  model.names.push_back(std::move(names));
  model.history.push_back(std::move(done));
  if (model.names.size() <= most_versions) return;
  model.names.erase(model.names.begin());
  model.history.erase(model.history.begin());
}

FlatResult edit_stored_flat(const StoredResult& stored, const Edit& change) {
  FlatResult result = read_flat_result(stored);
  edit(change, result);
  uninterrupted([&] { describe(result); });
  return result;
}

template void edit(const Edit&, const TreeOptions&, const RunData<float>*, TreeResult&);
template void edit(const Edit&, const TreeOptions&, const RunData<double>*, TreeResult&);

}  // namespace copse
