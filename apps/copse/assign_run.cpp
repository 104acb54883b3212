#include "apps/copse/assign_run.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "apps/copse/interrupt.h"
#include "apps/copse/model.h"
#include "apps/copse/stored_result.h"
#include "apps/copse/terminal.h"
#include "apps/copse/tree_model.h"
#include "apps/copse/words.h"
#include "copse/base/error.h"
#include "copse/io/output_file.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"
#include "copse/tree/flatten.h"
#include "copse/tree/place.h"

namespace copse {
namespace {

// One row of the answer.
struct Placed {
  std::string cluster;
  double weight = 0;
  std::string flat = {};  // of a tree: the leaf by flattening
};

template <class T>
struct NewItems {
  Dataset<T> data;                 // features of the model x items
  std::vector<std::string> names;  // of the items
  std::vector<char> is_short;      // documents with too few words
  std::vector<std::string> notes;
};

// The rows of `data` become those of the model: row_of[i] is the model's number of feature i, or -1.
template <class T>
void map_features(Dataset<T>& data, const std::vector<Index>& row_of, Index rows) {
  SparseMatrix<T> mapped;
  mapped.rows = rows;
  mapped.cols = data.items();
  std::vector<std::pair<RowIndex, T>> column;
  for (Index j = 0; j < data.items(); ++j) {
    column.clear();
    visit_nonzeros(data, j, [&](Index i, T value) {
      if (row_of[i] >= 0) column.emplace_back(static_cast<RowIndex>(row_of[i]), value);
    });
    std::ranges::sort(column, {}, [](const auto& entry) { return entry.first; });
    for (const auto& [row, value] : column) {
      mapped.indices.push_back(row);
      mapped.values.push_back(value);
    }
    mapped.offsets.push_back(mapped.nonzeros());
  }
  data.values = std::move(mapped);
}

// By number, as the file had them when the model was made.
std::vector<Index> rows_by_number(const ModelItems& items, Index features) {
  std::vector<Index> row_of(static_cast<std::size_t>(features), -1);
  for (std::size_t i = 0; i < items.kept_features.size(); ++i) row_of[items.kept_features[i]] = static_cast<Index>(i);
  return row_of;
}

std::vector<Index> rows_by_name(const ModelItems& items, const std::vector<std::string>& names,
                                std::vector<std::string>& notes) {
  std::unordered_map<std::string, Index> numbers;
  for (std::size_t i = 0; i < items.feature_names.size(); ++i)
    numbers.emplace(items.feature_names[i], static_cast<Index>(i));
  std::vector<Index> row_of(names.size(), -1);
  Index known = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = numbers.find(names[i]);
    if (found == numbers.end()) continue;
    row_of[i] = found->second;
    ++known;
  }
  if (known == 0) throw InputError("none of the features of the matrix is known to the model.");
  const Index unknown = static_cast<Index>(names.size()) - known;
  if (unknown > 0) notes.push_back(counted(unknown, "feature") + " that the model does not know left out.");
  return row_of;
}

template <class T>
NewItems<T> read_columns(const AssignOptions& options, const StoredResult& stored, const ModelItems& items) {
  NewItems<T> result;
  ReadOptions reading = stored.input("").reading;
  ReadResult<T> read;
  if (options.path == "-") {
    const std::string bytes = read_standard_input();
    read = read_matrix<T>(std::span<const char>(bytes.data(), bytes.size()), "standard input", reading);
  } else {
    read = read_matrix<T>(options.path, reading);
  }
  result.data = std::move(read.dataset);
  result.notes = std::move(read.notes);
  std::vector<std::string>& features = result.data.feature_names;
  if (!options.feature_names.empty()) features = read_names(options.feature_names, &result.notes);
  if (!options.item_names.empty()) result.data.item_names = read_names(options.item_names, &result.notes);
  const auto check = [&](const std::vector<std::string>& names, Index count, const char* what) {
    if (names.empty() || static_cast<Index>(names.size()) == count) return;
    throw InputError(fmt::format("there are {} names for {}.", names.size(), counted(count, what)));
  };
  check(features, result.data.features(), "feature");
  check(result.data.item_names, result.data.items(), "item");
  if (!features.empty() && !items.feature_names.empty()) {
    map_features(result.data, rows_by_name(items, features, result.notes),
                 static_cast<Index>(items.kept_features.size()));
  } else {
    const Index needed = items.kept_features.empty() ? 0 : items.kept_features.back() + 1;
    if (result.data.features() < needed) {
      throw InputError(fmt::format("{} has {}, but the model was made from a matrix with at least {}.", options.path,
                                   counted(result.data.features(), "feature"), counted(needed)));
    }
    map_features(result.data, rows_by_number(items, result.data.features()),
                 static_cast<Index>(items.kept_features.size()));
  }
  for (Index j = 0; j < result.data.items(); ++j)
    result.names.push_back(result.data.item_names.empty() ? std::to_string(j) : result.data.item_names[j]);
  result.is_short.assign(result.names.size(), 0);
  return result;
}

template <class T>
NewItems<T> read_texts(const AssignOptions& options, const StoredResult& stored, const ModelItems& items,
                       Terminal& terminal) {
  DocumentInputOptions input = *stored.input(items.vocabulary).documents;
  input.reading.skip_bad = options.skip_bad;
  // How the new documents are laid out is their own business; columns are called as before unless said otherwise.
  input.reading.format = DocumentFormat::automatic;
  for (const auto& [name, format] : format_choices()) {
    if (name == options.format) input.reading.format = format;
  }
  if (!options.text_column.empty()) input.reading.text_field = options.text_column;
  if (!options.id_column.empty()) input.reading.id_field = options.id_column;
  std::shared_ptr<const DocumentSource> source;
  Corpus<T> corpus = read_documents<T>(options.path, input, 0, terminal, source);
  NewItems<T> result;
  result.notes = notes_of(corpus.report);
  result.names = std::move(corpus.ids);
  result.data.values = std::move(corpus.counts);
  map_features(result.data, rows_by_number(items, result.data.features()),
               static_cast<Index>(items.kept_features.size()));
  // The same rule as for the documents of the model: too few of the words that count.
  const double least = stored.input(items.vocabulary).prepare.min_item_total;
  for (Index j = 0; j < result.data.items(); ++j) {
    double words = 0;
    visit_nonzeros(result.data, j, [&](Index, T value) { words += static_cast<double>(value); });
    result.is_short.push_back(words < least || words == 0);
  }
  return result;
}

template <class T>
NewItems<T> read_new(const AssignOptions& options, const StoredResult& stored, const ModelItems& items,
                     Terminal& terminal) {
  terminal.show("reading " + options.path + " ...");
  NewItems<T> result =
      items.is_text() ? read_texts<T>(options, stored, items, terminal) : read_columns<T>(options, stored, items);
  PrepareReport learned;
  learned.feature_factors = items.feature_factors;
  learned.feature_totals = items.feature_totals;
  prepare_new(result.data, stored.input(items.vocabulary).prepare, learned);
  return result;
}

template <class T>
std::vector<Placed> place(const FlatModel<T>& model, const StoredResult& stored, const Dataset<T>& data) {
  const std::vector<double> penalty(static_cast<std::size_t>(model.w.cols()), std::sqrt(stored.beta()));
  const Clusters clusters =
      cluster_items(assign_items<T>(*in_memory(data), model.w, std::span<const T>(model.baseline), penalty));
  std::vector<Placed> placed;
  for (std::size_t j = 0; j < clusters.labels.size(); ++j) {
    const bool none = clusters.labels[j] < 0;
    placed.push_back(
        {none ? (model.items.is_text() ? "outlier" : "-1") : std::to_string(clusters.labels[j]), clusters.weights[j]});
  }
  return placed;
}

template <class T>
std::vector<Placed> place(const TreeModel<T>& model, const StoredResult&, const Dataset<T>& data) {
  const Tree<T>& tree = model.versions.back().tree;
  const Placement placement = place_items(tree, data);
  const bool flat = !model.versions.back().flat.empty();
  std::vector<Index> labels(static_cast<std::size_t>(data.items()), -1);
  if (flat) labels = cluster_items(flatten(*in_memory(data), model.topics)).labels;
  const auto leaves = tree.leaf_nodes();
  std::vector<Placed> placed;
  for (std::size_t j = 0; j < labels.size(); ++j) {
    placed.push_back({placement.leaf[j] < 0 ? "outlier" : tree.id(placement.leaf[j]), placement.weights[j],
                      !flat           ? ""
                      : labels[j] < 0 ? "-1"
                                      : tree.id(leaves[labels[j]])});
  }
  return placed;
}

std::string cell(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string table(const std::vector<std::string>& names, const std::vector<Placed>& placed, bool tree) {
  std::string text = tree ? "item\tcluster\tweight\tflat\n" : "item\tcluster\tweight\n";
  for (std::size_t j = 0; j < placed.size(); ++j) {
    text += fmt::format("{}\t{}\t{:.6g}", cell(names[j]), placed[j].cluster, placed[j].weight);
    text += tree ? "\t" + placed[j].flat + "\n" : "\n";
  }
  return text;
}

std::string as_json(const AssignOptions& options, const std::vector<std::string>& names,
                    const std::vector<Placed>& placed, const std::vector<std::string>& notes, bool tree) {
  using Json = nlohmann::ordered_json;
  Json items = Json::array();
  for (std::size_t j = 0; j < placed.size(); ++j) {
    Json item = {{"item", names[j]}, {"cluster", placed[j].cluster}, {"weight", placed[j].weight}};
    if (tree) item["flat"] = placed[j].flat;
    items.push_back(std::move(item));
  }
  const Json json = {{"command", "assign"},
                     {"version", COPSE_VERSION},
                     {"result", options.folder},
                     {"notes", notes},
                     {"items", std::move(items)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class T, class Model>
void assign(const AssignOptions& options, const StoredResult& stored, const Model& model, Terminal& terminal) {
  NewItems<T> items = read_new<T>(options, stored, model.items, terminal);
  terminal.show("placing ...");
  std::vector<Placed> placed = place(model, stored, items.data);
  Index too_short = 0;
  for (std::size_t j = 0; j < placed.size(); ++j) {
    if (items.is_short[j] == 0) continue;
    ++too_short;
    placed[j] = {model.items.dropped_name(), 0, stored.is_tree() ? model.items.dropped_name() : ""};
  }
  if (too_short > 0) items.notes.push_back(counted(too_short, "document") + " too short for a topic.");
  for (const std::string& note : items.notes) terminal.say("note: " + note);
  const std::string text = options.json ? as_json(options, items.names, placed, items.notes, stored.is_tree())
                                        : table(items.names, placed, stored.is_tree());
  if (options.output.empty()) {
    terminal.clear();
    print_data(text);
    return;
  }
  OutputFile file(options.output);
  file.write(text);
  file.commit();
  terminal.say(
      fmt::format("{} placed, written: {}", counted(static_cast<Index>(placed.size()), "item"), options.output));
}

template <class T>
void assign_of(const AssignOptions& options, const StoredResult& stored, Terminal& terminal) {
  if (stored.is_tree()) {
    assign<T>(options, stored, read_tree_model<T>(stored.model_path()), terminal);
  } else {
    assign<T>(options, stored, read_model<T>(stored.model_path()), terminal);
  }
}

}  // namespace

int run_assign(const AssignOptions& options) {
  Terminal terminal(options.quiet);
  const StoredResult stored(options.folder);
  with_threads(options.threads, &interruption(), [&] {
    if (stored.precision() == Precision::single) {
      assign_of<float>(options, stored, terminal);
    } else {
      assign_of<double>(options, stored, terminal);
    }
  });
  return interrupted_exit_code();
}

}  // namespace copse
