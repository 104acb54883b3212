#include "apps/copse/tree_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "copse/base/error.h"
#include "copse/io/safetensors.h"

namespace copse {
namespace {

// Per node: parent, first, second, leaf, split, dropped, and the numbers of its items, weights, outliers and terms.
constexpr Index node_fields = 10;

// Owns what the views of a model point to.
struct Tensors {
  std::vector<TensorView> views;
  std::deque<Buffer<std::int64_t>> numbers;
  std::deque<Buffer<double>> doubles;
  std::deque<Buffer<float>> floats;
  std::deque<PackedStrings> strings;

  void add(const std::string& name, Buffer<std::int64_t> values) { keep(name, numbers, std::move(values)); }
  void add(const std::string& name, Buffer<double> values) { keep(name, doubles, std::move(values)); }
  void add(const std::string& name, Buffer<float> values) { keep(name, floats, std::move(values)); }
  void add(const std::string& name, std::span<const std::string> values) {
    const PackedStrings& packed = strings.emplace_back(pack_strings(values));
    views.push_back({name, {static_cast<Index>(packed.bytes.size())}, std::span<const std::uint8_t>(packed.bytes)});
    views.push_back({name + "_offsets",
                     {static_cast<Index>(packed.offsets.size())},
                     std::span<const std::int64_t>(packed.offsets)});
  }

 private:
  template <class Store, class Values>
  void keep(const std::string& name, Store& store, Values values) {
    const auto& kept = store.emplace_back(std::move(values));
    views.push_back({name, {static_cast<Index>(kept.size())}, std::span(kept)});
  }
};

template <class T>
void add_tree(Tensors& tensors, const std::string& prefix, const Tree<T>& tree) {
  Buffer<std::int64_t> shape{tree.rows, tree.cols, tree.leaves}, nodes, items, outliers, terms;
  Buffer<double> scores;
  Buffer<T> weights, shares, term_weights;
  std::vector<std::string> names;
  for (const TreeNode<T>& node : tree.nodes) {
    for (const Index field : {node.parent, node.first, node.second, static_cast<Index>(node.leaf),
                              static_cast<Index>(node.split), static_cast<Index>(node.dropped),
                              static_cast<Index>(node.items.size()), static_cast<Index>(node.weights.size()),
                              static_cast<Index>(node.outliers.size()), static_cast<Index>(node.topic.terms.size())})
      nodes.push_back(field);
    for (const double value : {node.score, node.squared_norm, node.explained}) scores.push_back(value);
    items.insert(items.end(), node.items.begin(), node.items.end());
    outliers.insert(outliers.end(), node.outliers.begin(), node.outliers.end());
    terms.insert(terms.end(), node.topic.terms.begin(), node.topic.terms.end());
    weights.insert(weights.end(), node.weights.begin(), node.weights.end());
    shares.insert(shares.end(), node.shares.begin(), node.shares.end());
    term_weights.insert(term_weights.end(), node.topic.weights.begin(), node.topic.weights.end());
    names.push_back(node.name);
  }
  tensors.add(prefix + "shape", std::move(shape));
  tensors.add(prefix + "nodes", std::move(nodes));
  tensors.add(prefix + "scores", std::move(scores));
  tensors.add(prefix + "items", std::move(items));
  tensors.add(prefix + "outliers", std::move(outliers));
  tensors.add(prefix + "terms", std::move(terms));
  tensors.add(prefix + "weights", std::move(weights));
  tensors.add(prefix + "shares", std::move(shares));
  tensors.add(prefix + "term_weights", std::move(term_weights));
  tensors.add(prefix + "names", names);
}

// Takes tensors by name and complains where one is missing or of another type.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), model_(read_safetensors(path)) {}

  bool has(const std::string& name) const { return model_.tensors.contains(name); }

  template <class T>
  std::span<const T> get(const std::string& name) const {
    const auto found = model_.tensors.find(name);
    if (found == model_.tensors.end()) wrong("it has no tensor \"" + name + "\"");
    const auto* values = std::get_if<Buffer<T>>(&found->second.values);
    if (values == nullptr) wrong("tensor \"" + name + "\" has another type; was it made with another --precision?");
    return *values;
  }

  std::vector<std::string> strings(const std::string& name) const {
    return unpack_strings(get<std::uint8_t>(name), get<std::int64_t>(name + "_offsets"));
  }

  [[noreturn]] void wrong(const std::string& what) const {
    throw InputError(fmt::format("{} is not the model of a tree: {}.", path_, what));
  }

 private:
  std::string path_;
  SafeTensors model_;
};

template <class Target, class Source>
void take(std::vector<Target>& target, std::span<const Source>& source, Index count, const Reader& reader) {
  if (count < 0 || count > static_cast<Index>(source.size())) reader.wrong("its lists are too short");
  for (const Source value : source.first(static_cast<std::size_t>(count))) target.push_back(static_cast<Target>(value));
  source = source.subspan(static_cast<std::size_t>(count));
}

template <class T>
Tree<T> read_tree(const Reader& reader, const std::string& prefix) {
  Tree<T> tree;
  const auto shape = reader.get<std::int64_t>(prefix + "shape"), nodes = reader.get<std::int64_t>(prefix + "nodes");
  if (shape.size() != 3 || nodes.empty() || nodes.size() % node_fields != 0) reader.wrong("its shape is damaged");
  tree.rows = shape[0], tree.cols = shape[1], tree.leaves = shape[2];
  auto items = reader.get<std::int64_t>(prefix + "items"), outliers = reader.get<std::int64_t>(prefix + "outliers"),
       terms = reader.get<std::int64_t>(prefix + "terms");
  auto weights = reader.get<T>(prefix + "weights"), shares = reader.get<T>(prefix + "shares"),
       term_weights = reader.get<T>(prefix + "term_weights");
  const auto scores = reader.get<double>(prefix + "scores");
  const auto names = reader.strings(prefix + "names");
  const Index count = static_cast<Index>(nodes.size()) / node_fields;
  if (static_cast<Index>(scores.size()) != 3 * count || static_cast<Index>(names.size()) != count)
    reader.wrong("its lists differ in length");
  for (Index n = 0; n < count; ++n) {
    const auto field = nodes.subspan(static_cast<std::size_t>(n * node_fields), node_fields);
    TreeNode<T> node;
    node.parent = field[0], node.first = field[1], node.second = field[2];
    if (node.parent >= n || (n > 0 && node.parent < 0) || node.first >= count || node.second >= count)
      reader.wrong("its nodes do not form a tree");
    node.leaf = static_cast<Leaf>(std::clamp<Index>(field[3], 0, 3));
    node.split = static_cast<int>(field[4]);
    node.dropped = field[5] != 0;
    take(node.items, items, field[6], reader);
    take(node.weights, weights, field[7], reader);
    take(node.shares, shares, field[7], reader);
    take(node.outliers, outliers, field[8], reader);
    take(node.topic.terms, terms, field[9], reader);
    take(node.topic.weights, term_weights, field[9], reader);
    const auto inside = [](const auto& list, Index end) {
      return std::ranges::all_of(list, [&](Index value) { return value >= 0 && value < end; });
    };
    if (!inside(node.items, tree.cols) || !inside(node.outliers, tree.cols) || !inside(node.topic.terms, tree.rows))
      reader.wrong("it names items or features that it has not");
    node.score = scores[3 * n], node.squared_norm = scores[3 * n + 1], node.explained = scores[3 * n + 2];
    node.name = names[n];
    tree.nodes.push_back(std::move(node));
  }
  return tree;
}

std::string version_prefix(std::size_t version, std::size_t versions) {
  return version + 1 == versions ? "tree." : fmt::format("undo.{}.", version);
}

}  // namespace

template <class T>
void write_tree_model(OutputFile& file, const TreeModel<T>& model, const Settings& settings) {
  Tensors tensors;
  tensors.views.push_back({"w", {model.topics.rows(), model.topics.cols()}, model.topics.values()});
  for (std::size_t v = 0; v < model.versions.size(); ++v)
    add_tree(tensors, version_prefix(v, model.versions.size()), model.versions[v]);
  tensors.add("history", model.history);
  tensors.add("feature_names", model.feature_names);
  tensors.add("item_names", model.item_names);
  tensors.add("kept_items", Buffer<std::int64_t>(model.kept_items.begin(), model.kept_items.end()));
  tensors.add("feature_factors", Buffer<double>(model.feature_factors.begin(), model.feature_factors.end()));
  std::map<std::string, std::string> metadata = {{"program", "copse"}, {"version", COPSE_VERSION}, {"kind", "tree"}};
  for (const auto& [name, setting] : settings) {
    if (name == "matrix" || name == "features" || name == "item_names" || name == "truth") continue;
    metadata[name] = std::visit([](const auto& value) { return fmt::format("{}", value); }, setting);
  }
  write_safetensors(file, tensors.views, metadata);
}

template <class T>
TreeModel<T> read_tree_model(const std::string& path) {
  const Reader reader(path);
  TreeModel<T> model;
  for (std::size_t v = 0; reader.has(fmt::format("undo.{}.nodes", v)); ++v)
    model.versions.push_back(read_tree<T>(reader, fmt::format("undo.{}.", v)));
  model.versions.push_back(read_tree<T>(reader, "tree."));
  model.history = reader.strings("history");
  model.feature_names = reader.strings("feature_names");
  model.item_names = reader.strings("item_names");
  const auto kept = reader.get<std::int64_t>("kept_items");
  model.kept_items.assign(kept.begin(), kept.end());
  const auto factors = reader.get<double>("feature_factors");
  model.feature_factors.assign(factors.begin(), factors.end());
  return model;
}

#define COPSE_INSTANTIATE(T)                                                         \
  template void write_tree_model(OutputFile&, const TreeModel<T>&, const Settings&); \
  template TreeModel<T> read_tree_model(const std::string&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
