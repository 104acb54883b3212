#include "copse/run/assign.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>

#include "copse/base/error.h"
#include "copse/cluster/k_means.h"
#include "copse/cluster/lda.h"
#include "copse/engines/disk/file_items.h"
#include "copse/input/stored_input.h"
#include "copse/io/open_blocks.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/streamed_data.h"
#include "copse/matrix/more_of_data.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"
#include "copse/options/wording.h"
#include "copse/tree/flatten.h"
#include "copse/tree/place.h"

namespace copse {
namespace {

// The rows of `data` become those of the model: row_of[i] is the model's number of feature i, or -1.
template <class T>
void map_features(Dataset<T>& data, const std::vector<Index>& row_of, Index rows) {
  if (!data.is_sparse()) {
    Matrix<T> mapped(data.items(), rows);
    std::ranges::fill(mapped.values(), T(0));
    for (Index j = 0; j < data.items(); ++j) {
      visit_nonzeros(data, j, [&](Index i, T value) {
        if (row_of[i] >= 0) mapped(j, row_of[i]) = value;
      });
    }
    data.values = std::move(mapped);
    return;
  }
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

// For each feature of new data the model's number of it, or -1.
std::vector<Index> rows_of(Index features, const std::vector<std::string>& names, const ModelItems& items,
                           std::vector<std::string>& notes) {
  if (!items.is_text() && !names.empty() && !items.feature_names.empty()) return rows_by_name(items, names, notes);
  const Index needed = items.kept_features.empty() ? 0 : items.kept_features.back() + 1;
  if (features < needed) {
    throw InputError(fmt::format("it has {}, but the model was made from a matrix with at least {}.",
                                 counted(features, "feature"), counted(needed)));
  }
  return rows_by_number(items, features);
}

void check_names(const std::vector<std::string>& names, Index count, const char* what) {
  if (names.empty() || static_cast<Index>(names.size()) == count) return;
  throw InputError(fmt::format("there are {} names for {}.", names.size(), counted(count, what)));
}

bool is_identity(const std::vector<Index>& row_of, Index rows) {
  if (static_cast<Index>(row_of.size()) != rows) return false;
  for (Index i = 0; i < rows; ++i) {
    if (row_of[i] != i) return false;
  }
  return true;
}

template <class T>
bool is_empty(const Dataset<T>& data, Index item) {
  bool empty = true;
  visit_nonzeros(data, item, [&](Index, T) { empty = false; });
  return empty;
}

// How new items are read: as those of the model, but for what they need not have.
ReadOptions reading_of_new(const NewItemsOptions& options, const Settings& settings) {
  ReadOptions reading = input_options_in(settings, "", "").reading;
  reading.label.clear();
  if (options.path.find(".h5") == std::string::npos) reading.layer.clear();  // other files have no layers
  return reading;
}

// What is wrong with the content of a file is said with its name.
template <class Work>
auto of_file(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
}

template <class T>
NewItems<T> read_columns(const NewItemsOptions& options, const Settings& settings, const ModelItems& items) {
  ReadResult<T> read = read_matrix<T>(options.path, reading_of_new(options, settings));
  Dataset<T>& data = read.dataset;
  if (!options.feature_names.empty()) data.feature_names = read_names(options.feature_names, &read.notes);
  if (!options.item_names.empty()) data.item_names = read_names(options.item_names, &read.notes);
  NewItems<T> result = of_file(options.path, [&] { return match_items(std::move(data), settings, items); });
  result.notes.insert(result.notes.begin(), read.notes.begin(), read.notes.end());
  return result;
}

template <class T>
NewItems<T> read_texts(const NewItemsOptions& options, const Settings& settings, const ModelItems& items,
                       const RunEvents& events) {
  InputOptions input = input_options_in(settings, items.vocabulary, "");
  input.path = options.path;
  // How the new documents are laid out is their own business; columns are called as before unless said otherwise.
  DocumentOptions& reading = input.documents->reading;
  reading.skip_bad = options.skip_bad;
  reading.format = options.format;
  if (!options.text_column.empty()) reading.text_field = options.text_column;
  if (!options.id_column.empty()) reading.id_field = options.id_column;
  input.documents->own.reset();
  std::shared_ptr<const DocumentSource> source;
  Corpus<T> corpus = count_words<T>(input, 0, events, source);
  Dataset<T> data;
  data.values = std::move(corpus.counts);
  data.item_names = std::move(corpus.ids);
  NewItems<T> result = match_items(std::move(data), settings, items);
  const std::vector<std::string> notes = notes_of(corpus.report);
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  return result;
}

}  // namespace

template <class T>
NewItems<T> read_new_items(const NewItemsOptions& options, const Settings& settings, const ModelItems& items,
                           const RunEvents& events) {
  events.show("reading " + options.path + " ...");
  return items.is_text() ? read_texts<T>(options, settings, items, events) : read_columns<T>(options, settings, items);
}

template <class T>
std::vector<std::string> match_features(const ModelItems& items, Dataset<T>& data) {
  check_names(data.feature_names, data.features(), "feature");
  std::vector<std::string> notes;
  const auto rows = static_cast<Index>(items.kept_features.size());
  const std::vector<Index> row_of = rows_of(data.features(), data.feature_names, items, notes);
  if (!is_identity(row_of, rows)) map_features(data, row_of, rows);
  return notes;
}

template <class T>
NewItems<T> match_items(Dataset<T> data, const Settings& settings, const ModelItems& items) {
  NewItems<T> result;
  check_names(data.item_names, data.items(), "item");
  const InputOptions input = input_options_in(settings, items.vocabulary, "");
  if (input.prepare.library_size > 0) equalize_totals(data, input.prepare.library_size);
  result.notes = match_features(items, data);
  result.names = std::move(data.item_names);
  for (Index j = static_cast<Index>(result.names.size()); j < data.items(); ++j)
    result.names.push_back(std::to_string(j));
  result.is_known.assign(result.names.size(), 0);
  for (Index j = 0; j < data.items(); ++j) visit_nonzeros(data, j, [&](Index, T) { result.is_known[j] = 1; });
  const auto unknown = static_cast<Index>(std::ranges::count(result.is_known, 0));
  if (unknown > 0 && items.is_text())
    result.notes.push_back(counted(unknown, "document") + " without any known word: they have no topic.");
  PrepareReport learned;
  learned.feature_factors = items.feature_factors;
  learned.feature_totals = items.feature_totals;
  prepare_new(data, input.prepare, learned);
  result.data = std::move(data);
  return result;
}

bool fits_as_it_is(Index features, const std::vector<std::string>& names, const Settings& settings,
                   const ModelItems& items) {
  if (items.is_text()) return false;
  const PrepareOptions prepare = input_options_in(settings, "", "").prepare;
  const bool weighs = prepare.weighting != Weighting::none || prepare.feature_scaling != FeatureScaling::none ||
                      prepare.unit_items || prepare.normalized_cut || prepare.library_size > 0;
  std::vector<std::string> notes;
  return !weighs && is_identity(rows_of(features, names, items, notes), static_cast<Index>(items.kept_features.size()));
}

// place_documents(), block by block.
template <class T>
Matrix<T> topic_shares(const Data<T>& x, const Matrix<T>& words, std::span<const double> prior) {
  Matrix<T> shares(x.cols(), words.cols());
  visit_blocks(x, [&](Index first, const SparseView<T>& block) {
    const Matrix<T> placed = place_documents<T>(block, words, prior);
    for (Index j = 0; j < placed.rows(); ++j) std::ranges::copy(placed.row(j), shares.row(first + j).begin());
  });
  return shares;
}

template <class T>
Matrix<T> coefficients(const FlatModel& model, const Data<T>& x) {
  switch (model.place) {
    case PlaceBy::divergence:
      return assign_items_by_divergence<T>(x, model.w.as<T>());
    case PlaceBy::topic_shares:
      return topic_shares(x, model.w.as<T>(), model.prior);
    case PlaceBy::angle:
    case PlaceBy::distance:
    case PlaceBy::unit_distance:
      return nearest_weights<T>(x, model.w.as<T>(), model.place);
    case PlaceBy::least_squares:
      break;
  }
  const std::span<const T> baseline = model.baseline.empty() ? std::span<const T>() : model.baseline.as<T>();
  return assign_items<T>(x, model.w.as<T>(), baseline, model.penalty);
}

template <class T>
Matrix<T> coefficients(const TreeModel& model, const Data<T>& x) {
  return flatten(x, model.topics.as<T>());
}

template <class T, class Model>
Matrix<T> coefficients(const Model& model, const NewItems<T>& items) {
  return coefficients(model, *in_memory(items.data));
}

template <class T>
std::vector<PlacedItem> place(const FlatModel& model, const NewItems<T>& items) {
  const Clusters clusters = cluster_items(coefficients(model, items));
  std::vector<PlacedItem> placed;
  for (std::size_t j = 0; j < clusters.labels.size(); ++j) {
    const bool none = clusters.labels[j] < 0 || items.is_known[j] == 0;
    placed.push_back({none ? model.items.no_topic() : std::to_string(clusters.labels[j]), clusters.weights[j]});
  }
  return placed;
}

template <class T>
std::vector<PlacedItem> place(const TreeModel& model, const NewItems<T>& items) {
  const Tree& tree = model.versions.back().tree;
  const Placement placement = place_items(tree, items.data);
  const auto leaves = tree.leaf_nodes();
  Matrix<T> h;  // of the flat model
  if (!model.versions.back().flat.empty()) h = coefficients(model, items);
  std::vector<PlacedItem> placed;
  for (std::size_t j = 0; j < items.names.size(); ++j) {
    PlacedItem& item = placed.emplace_back();
    item.leaf = placement.leaf[j] < 0 ? "outlier" : tree.id(placement.leaf[j]);
    item.cluster = placement.leaf[j] < 0 ? model.items.no_topic() : item.leaf;
    item.weight = placement.weights[j];
    const BestTwo best = h.rows() > 0 ? best_two(h.row(static_cast<Index>(j))) : BestTwo();
    if (best.first >= 0) {
      item.cluster = tree.id(leaves[best.first]);
      item.weight = best.first_share;
    }
    if (items.is_known[j] == 0) item = {model.items.no_topic(), 0, model.items.no_topic()};
  }
  return placed;
}

namespace {

constexpr Index entries_at_once = 1 << 22;

// Some neighbouring blocks with the names of their items.
template <class T>
Dataset<T> read_blocks(const FileItems<T>& file, Index begin, Index end) {
  std::vector<Index> numbers(static_cast<std::size_t>(file.first_items()[end] - file.first_items()[begin]));
  std::iota(numbers.begin(), numbers.end(), file.first_items()[begin]);
  Dataset<T> data;
  data.values = select_items(file, std::span<const Index>(numbers));
  for (Index b = begin; b < end; ++b) std::ranges::move(file.file().item_names(b), std::back_inserter(data.item_names));
  return data;
}

template <class T, class Model>
PlacedItems place_blocks(const FileItems<T>& file, const NewItemsOptions& options, const Settings& settings,
                         const Model& model, const RunEvents& events) {
  PlacedItems all;
  std::vector<std::string> feature_names = file.file().feature_names();
  if (!options.feature_names.empty()) feature_names = read_names(options.feature_names, &all.notes);
  std::vector<std::string> item_names;
  if (!options.item_names.empty()) {
    item_names = read_names(options.item_names, &all.notes);
    of_file(options.path, [&] { check_names(item_names, file.cols(), "item"); });
  }
  for (Index begin = 0, end = 0; begin < file.blocks(); begin = end) {
    while (end < file.blocks() &&
           (end == begin || file.first_entries()[end + 1] - file.first_entries()[begin] <= entries_at_once))
      ++end;
    const Index first = file.first_items()[begin];
    events.show(fmt::format("placing: {} of {} items ...", first, file.cols()));
    Dataset<T> data = read_blocks(file, begin, end);
    data.feature_names = feature_names;
    if (data.item_names.empty()) {
      for (Index j = 0; j < data.items(); ++j)
        data.item_names.push_back(item_names.empty() ? std::to_string(first + j) : item_names[first + j]);
    }
    if (!item_names.empty())
      data.item_names.assign(item_names.begin() + first, item_names.begin() + first + data.items());
    NewItems<T> items = of_file(options.path, [&] { return match_items(std::move(data), settings, model.items); });
    std::vector<PlacedItem> placed = place(model, items);
    std::ranges::move(items.names, std::back_inserter(all.names));
    std::ranges::move(placed, std::back_inserter(all.items));
    // What is left out is the same for all blocks.
    if (begin == 0) all.notes.insert(all.notes.end(), items.notes.begin(), items.notes.end());
  }
  return all;
}

template <class T, class Model>
PlacedItems place_new(const NewItemsOptions& options, const Settings& settings, const Model& model,
                      const RunEvents& events) {
  if (!model.items.is_text()) {
    if (const std::shared_ptr<const ItemBlocks> blocks = open_blocks(options.path, reading_of_new(options, settings))) {
      return place_blocks(FileItems<T>(blocks), options, settings, model, events);
    }
  }
  NewItems<T> items = read_new_items<T>(options, settings, model.items, events);
  events.show("placing ...");
  std::vector<PlacedItem> placed = place(model, items);
  return {std::move(items.names), std::move(placed), std::move(items.notes)};
}

}  // namespace

PlacedItems place_new_items(const NewItemsOptions& options, const Settings& settings, const FlatModel& model,
                            const RunEvents& events) {
  return with_precision(model.w.precision(), [&]<class T> { return place_new<T>(options, settings, model, events); });
}

PlacedItems place_new_items(const NewItemsOptions& options, const Settings& settings, const TreeModel& model,
                            const RunEvents& events) {
  return with_precision(model.topics.precision(),
                        [&]<class T> { return place_new<T>(options, settings, model, events); });
}

template <class T, class Model>
void place_outside(const Dataset<T>* outside, const Settings& settings, Model& model) {
  ModelItems& items = model.items;
  items.outside_ids.clear();
  items.outside_weights.clear();
  if (items.outside_items.empty()) return;
  for (const PlacedItem& placed : place(model, match_items(*outside, settings, items))) {
    items.outside_ids.push_back(placed.cluster == items.no_topic() ? "" : placed.cluster);
    items.outside_weights.push_back(placed.weight);
  }
}

#define COPSE_INSTANTIATE(T)                                                                                         \
  template NewItems<T> read_new_items(const NewItemsOptions&, const Settings&, const ModelItems&, const RunEvents&); \
  template std::vector<std::string> match_features(const ModelItems&, Dataset<T>&);                                  \
  template NewItems<T> match_items(Dataset<T>, const Settings&, const ModelItems&);                                  \
  template Matrix<T> coefficients(const FlatModel&, const NewItems<T>&);                                             \
  template Matrix<T> coefficients(const TreeModel&, const NewItems<T>&);                                             \
  template Matrix<T> coefficients(const FlatModel&, const Data<T>&);                                                 \
  template Matrix<T> coefficients(const TreeModel&, const Data<T>&);                                                 \
  template std::vector<PlacedItem> place(const FlatModel&, const NewItems<T>&);                                      \
  template std::vector<PlacedItem> place(const TreeModel&, const NewItems<T>&);                                      \
  template void place_outside(const Dataset<T>*, const Settings&, FlatModel&);                                       \
  template void place_outside(const Dataset<T>*, const Settings&, TreeModel&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
