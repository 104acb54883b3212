#include "copse/run/graph_assign.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "copse/base/error.h"
#include "copse/graph/new_edges.h"
#include "copse/input/options.h"
#include "copse/io/input.h"
#include "copse/methods/options.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

GraphInputOptions input_in(const Settings& settings) {
  GraphInputOptions options;
  take_settings(settings, options);
  return options;
}

template <class T>
SparseMatrix<T> from_columns(Index rows, std::vector<std::vector<std::pair<Index, double>>> columns) {
  SparseMatrix<T> result;
  result.rows = rows;
  result.cols = static_cast<Index>(columns.size());
  for (auto& column : columns) {
    std::ranges::sort(column);
    for (const auto& [row, value] : column) {
      if (!(static_cast<T>(value) > T(0))) continue;
      result.indices.push_back(static_cast<RowIndex>(row));
      result.values.push_back(static_cast<T>(value));
    }
    result.offsets.push_back(result.nonzeros());
  }
  return result;
}

// Names that the graph does not have are new nodes.
template <class T>
NewNodes<T> from_graph(const Graph<T>& graph, const std::string& path, const CommunityModel& model) {
  const auto& known_names = model.items.item_names;
  std::unordered_map<std::string, Index> known;
  for (std::size_t i = 0; i < known_names.size(); ++i) known.emplace(known_names[i], static_cast<Index>(i));
  NewNodes<T> result;
  std::vector<std::vector<std::pair<Index, double>>> columns;
  Index among_new = 0;
  const SparseMatrix<T>& a = graph.weights;
  for (Index j = 0; j < a.cols; ++j) {
    if (known.contains(graph.names[j])) continue;
    auto& column = columns.emplace_back();
    result.names.push_back(graph.names[j]);
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      const auto found = known.find(graph.names[a.indices[p]]);
      if (found != known.end()) {
        column.emplace_back(found->second, static_cast<double>(a.values[p]));
      } else {
        ++among_new;
      }
    }
  }
  if (result.names.empty())
    throw InputError(path + ": all nodes are in the graph already; assignments.tsv has their communities.");
  if (among_new > 0) result.notes.push_back(counted(among_new / 2, "edge") + " between two new nodes left out.");
  result.weights = from_columns<T>(static_cast<Index>(known_names.size()), std::move(columns));
  return result;
}

// A matrix of weights: one side has as many as the graph has nodes.
template <class T>
NewNodes<T> from_matrix(Dataset<T> data, const std::string& path, const CommunityModel& model) {
  const Index nodes = static_cast<Index>(model.items.item_names.size());
  if (data.features() != nodes)
    throw InputError(
        fmt::format("{}: weights to {} were expected, and the matrix is {} x {}; `items` says which side "
                    "the new nodes are.",
                    path, counted(nodes, "node"), data.features(), data.items()));
  NewNodes<T> result;
  std::vector<std::vector<std::pair<Index, double>>> columns(static_cast<std::size_t>(data.items()));
  for (Index j = 0; j < data.items(); ++j)
    visit_nonzeros(data, j, [&](Index i, T value) { columns[j].emplace_back(i, static_cast<double>(value)); });
  result.names = std::move(data.item_names);
  for (Index j = static_cast<Index>(result.names.size()); j < data.items(); ++j)
    result.names.push_back(std::to_string(j));
  result.weights = from_columns<T>(nodes, std::move(columns));
  return result;
}

bool is_matrix_file(const std::string& path) {
  const std::size_t packed = path.ends_with(".gz") ? 3 : path.ends_with(".zst") ? 4 : 0;
  const std::string_view name = std::string_view(path).substr(0, path.size() - packed);
  return name.ends_with(".mtx") || name.ends_with(".npy") || name.ends_with(".npz");
}

}  // namespace

template <class T>
SparseMatrix<T> edges_of_items(const Dataset<T>& items, const Settings& settings, const CommunityModel& model) {
  return edges_to_nearest(model.graph_of<T>().data, items, input_in(settings).similarity_options());
}

template <class T>
NewNodes<T> read_new_nodes(const NewItemsOptions& options, const Settings& settings, const CommunityModel& model,
                           const RunEvents& events) {
  if (model.has_items()) {
    NewItems<T> items = read_new_items<T>(options, settings, model.items, events);
    events.show("finding neighbours ...");
    return {edges_of_items(items.data, settings, model), std::move(items.names), std::move(items.notes)};
  }
  events.show("reading " + options.path + " ...");
  NewNodes<T> result;
  std::vector<std::string> notes;
  if (is_matrix_file(options.path)) {
    ReadResult<T> read = read_matrix<T>(options.path, ReadOptions{});
    notes = std::move(read.notes);
    result = from_matrix(std::move(read.dataset), options.path, model);
  } else {
    ReadGraph<T> read = [&] {
      if (options.path != "-") return read_graph<T>(options.path, ReadGraphOptions{});
      const Input input = Input::open(options.path);
      return read_graph<T>(input.bytes(), input.name());
    }();
    notes = std::move(read.notes);
    if (read.graph.names.empty())
      throw InputError(options.path + ": an edge list with the names of nodes was expected, or a matrix.");
    result = from_graph(read.graph, options.path, model);
  }
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  return result;
}

template <class T>
std::vector<PlacedItem> place(const CommunityModel& model, const SparseMatrix<T>& weights) {
  std::vector<PlacedItem> placed;
  for (const StrongestLabel& strongest : strongest_labels<T>(model.labels, weights)) {
    placed.push_back({strongest.label < 0 ? model.items.no_topic() : std::to_string(strongest.label), strongest.share});
  }
  return placed;
}

PlacedItems place_new_items(const NewItemsOptions& options, const Settings& settings, const CommunityModel& model,
                            const RunEvents& events) {
  return with_precision(model.b.precision(), [&]<class T>() -> PlacedItems {
    NewNodes<T> nodes = read_new_nodes<T>(options, settings, model, events);
    events.show("placing ...");
    return {std::move(nodes.names), place(model, nodes.weights), std::move(nodes.notes)};
  });
}

#define COPSE_INSTANTIATE(T)                                                                          \
  template SparseMatrix<T> edges_of_items(const Dataset<T>&, const Settings&, const CommunityModel&); \
  template NewNodes<T> read_new_nodes(const NewItemsOptions&, const Settings&, const CommunityModel&, \
                                      const RunEvents&);                                              \
  template std::vector<PlacedItem> place(const CommunityModel&, const SparseMatrix<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
