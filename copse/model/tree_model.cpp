#include "copse/model/tree_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/tree/packed.h"

namespace copse {
namespace {

void add_tree(TensorWriter& tensors, const std::string& prefix, const Tree& tree) {
  PackedTree packed = pack(tree);
  tensors.add(prefix + "shape", std::move(packed.shape));
  tensors.add(prefix + "nodes", std::move(packed.nodes));
  tensors.add(prefix + "scores", std::move(packed.scores));
  tensors.add(prefix + "items", std::move(packed.items));
  tensors.add(prefix + "outliers", std::move(packed.outliers));
  tensors.add(prefix + "terms", std::move(packed.terms));
  tensors.add(prefix + "weights", std::move(packed.weights));
  tensors.add(prefix + "shares", std::move(packed.shares));
  tensors.add(prefix + "term_weights", std::move(packed.term_weights));
  tensors.add(prefix + "names", packed.names);
}

Tree read_tree(const TensorReader& reader, const std::string& prefix) {
  PackedTree packed;
  const auto take = [&](const char* name, auto& values) {
    const auto list = reader.get<typename std::remove_reference_t<decltype(values)>::value_type>(prefix + name);
    values.assign(list.begin(), list.end());
  };
  take("shape", packed.shape);
  take("nodes", packed.nodes);
  take("scores", packed.scores);
  take("items", packed.items);
  take("outliers", packed.outliers);
  take("terms", packed.terms);
  packed.weights = reader.numbers(prefix + "weights");
  packed.shares = reader.numbers(prefix + "shares");
  packed.term_weights = reader.numbers(prefix + "term_weights");
  packed.names = reader.strings(prefix + "names");
  try {
    return unpack(packed);
  } catch (const InputError& error) {
    reader.wrong(error.what());
  }
}

std::string version_prefix(std::size_t version, std::size_t versions) {
  return version + 1 == versions ? "tree." : fmt::format("undo.{}.", version);
}

}  // namespace

void write_model(OutputFile& file, const TreeModel& model, const Settings& settings) {
  TensorWriter tensors;
  tensors.add_view("w", model.topics);
  for (std::size_t v = 0; v < model.versions.size(); ++v) {
    const std::string prefix = version_prefix(v, model.versions.size());
    add_tree(tensors, prefix, model.versions[v].tree);
    const TreeVersion& version = model.versions[v];
    tensors.add(prefix + "flat", version.flat);
    tensors.add(prefix + "flat_weights", version.flat_weights);
    tensors.add(prefix + "flat_second", version.flat_second);
    tensors.add(prefix + "flat_second_weights", version.flat_second_weights);
  }
  tensors.add("history", model.history);
  add_items(tensors, model.items);
  tensors.write(file, settings, "tree");
}

TreeModel read_tree_model(const Input& file) {
  const TensorReader reader(file, "a tree");
  TreeModel model;
  const auto read_version = [&](const std::string& prefix) {
    TreeVersion& version = model.versions.emplace_back();
    version.tree = read_tree(reader, prefix);
    version.flat = reader.list<Index>(prefix + "flat");
    version.flat_weights = reader.list<double>(prefix + "flat_weights");
    version.flat_second = reader.list<Index>(prefix + "flat_second");
    version.flat_second_weights = reader.list<double>(prefix + "flat_second_weights");
    const auto nodes = static_cast<Index>(version.tree.nodes.size());
    const std::size_t count = version.flat.size();
    const auto is_node = [&](Index leaf) { return leaf >= -1 && leaf < nodes; };
    const bool fits = (count == 0 || static_cast<Index>(count) == version.tree.cols) &&
                      version.flat_weights.size() == count && version.flat_second.size() == count &&
                      version.flat_second_weights.size() == count && std::ranges::all_of(version.flat, is_node) &&
                      std::ranges::all_of(version.flat_second, is_node);
    if (!fits) reader.wrong("its flat assignment does not fit the tree");
    const auto usable = [](double value) { return value >= 0 && std::isfinite(value); };
    if (!std::ranges::all_of(version.flat_weights, usable) || !std::ranges::all_of(version.flat_second_weights, usable))
      reader.wrong("it has a weight that is negative or not finite");
  };
  for (std::size_t v = 0; reader.has(fmt::format("undo.{}.nodes", v)); ++v) read_version(fmt::format("undo.{}.", v));
  read_version("tree.");
  model.topics = reader.matrix("w");
  model.history = reader.strings("history");
  const Tree& tree = model.versions.back().tree;
  if (model.topics.rows() != tree.rows || model.topics.cols() != tree.leaves)
    reader.wrong("its topics are not those of its leaves");
  // A version that undo would bring back is of the same data, and one line of the history tells of each change.
  for (const TreeVersion& version : model.versions) {
    if (version.tree.rows != tree.rows || version.tree.cols != tree.cols)
      reader.wrong("its versions are not of the same data");
  }
  if (model.history.size() + 1 < model.versions.size()) reader.wrong("its history is shorter than its versions");
  model.items = read_items(reader, tree.rows, tree.cols);
  return model;
}

}  // namespace copse
