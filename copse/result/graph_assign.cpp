#include "copse/result/graph_assign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/input.h"
#include "copse/kernels/in_memory.h"
#include "copse/result/fields.h"
#include "copse/result/wording.h"

namespace copse {
namespace {

constexpr Index items_per_block = 64;

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
NewNodes<T> from_graph(const Graph<T>& graph, const std::string& path, const CommunityModel<T>& model) {
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
NewNodes<T> from_matrix(Dataset<T> data, const std::string& path, const CommunityModel<T>& model) {
  const Index nodes = static_cast<Index>(model.items.item_names.size());
  if (data.features() != nodes)
    throw InputError(
        fmt::format("{}: weights to {} were expected, and the matrix is {} x {}; --items says which side "
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

template <class T>
std::vector<double> squared_norms(const Dataset<T>& data) {
  std::vector<double> norms(static_cast<std::size_t>(data.items()), 0.0);
  for (Index j = 0; j < data.items(); ++j) {
    visit_nonzeros(data, j,
                   [&](Index, T value) { norms[j] += static_cast<double>(value) * static_cast<double>(value); });
  }
  return norms;
}

}  // namespace

template <class T>
SparseMatrix<T> edges_of_items(const Dataset<T>& items, const Settings& settings, const CommunityModel<T>& model) {
  const GraphInputOptions options = input_in(settings);
  const Index known = model.data.items(), features = model.data.features(), count = items.items();
  const Index kept = std::min(known, options.neighbours > 0 ? options.neighbours : default_neighbours(known));
  const bool cosine = options.similarity == ItemSimilarity::cosine;
  const bool tuned = options.similarity == ItemSimilarity::self_tuning;
  const Index wanted = std::min(known, tuned ? std::max(kept, options.scale_neighbour) : kept);
  const auto data = in_memory(model.data);
  const std::vector<double> known_norms = squared_norms(model.data), norms = squared_norms(items);
  std::vector<std::vector<std::pair<Index, double>>> columns(static_cast<std::size_t>(count));
  for (Index begin = 0; begin < count; begin += items_per_block) {
    const Index width = std::min(items_per_block, count - begin);
    Matrix<T> block(features, width), products;
    for (Index j = 0; j < width; ++j)
      visit_nonzeros(items, begin + j, [&](Index feature, T value) { block(feature, j) = value; });
    data->transpose_times(block, products);  // known x width
    parallel_for(width, [&](Index j) {
      // Closer is larger: the cosine, or less squared distance.
      std::vector<std::pair<double, Index>> closeness;
      const double norm = norms[begin + j];
      for (Index i = 0; i < known; ++i) {
        const auto product = static_cast<double>(products(i, j));
        if (cosine) {
          const double lengths = std::sqrt(norm) * std::sqrt(known_norms[i]);
          if (product > 0 && lengths > 0) closeness.emplace_back(std::min(1.0, product / lengths), -i);
        } else {
          closeness.emplace_back(-std::max(0.0, norm + known_norms[i] - 2 * product), -i);
        }
      }
      const auto some = std::min<std::size_t>(static_cast<std::size_t>(wanted), closeness.size());
      std::ranges::partial_sort(closeness, closeness.begin() + static_cast<std::ptrdiff_t>(some), std::greater<>());
      double scale = options.sigma * options.sigma;
      if (tuned) {
        const auto last = std::min<std::size_t>(some, static_cast<std::size_t>(options.scale_neighbour));
        scale = last == 0 ? 0 : -closeness[last - 1].first;
      }
      auto& column = columns[begin + j];
      for (std::size_t c = 0; c < std::min(some, static_cast<std::size_t>(kept)); ++c) {
        const auto [value, minus] = closeness[c];
        const double weight = cosine ? value : value == 0 ? 1 : std::exp(scale > 0 ? value / scale : value);
        column.emplace_back(-minus, weight);
      }
    });
  }
  return from_columns<T>(known, std::move(columns));
}

template <class T>
NewNodes<T> read_new_nodes(const NewItemsOptions& options, const Settings& settings, const CommunityModel<T>& model,
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
std::vector<PlacedItem> place(const CommunityModel<T>& model, const SparseMatrix<T>& weights) {
  std::vector<PlacedItem> placed;
  std::vector<double> held(model.labels.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(model.labels)) + 1);
  for (Index j = 0; j < weights.cols; ++j) {
    std::ranges::fill(held, 0.0);
    double sum = 0;
    for (Index p = weights.offsets[j]; p < weights.offsets[j + 1]; ++p) {
      held[model.labels[weights.indices[p]]] += static_cast<double>(weights.values[p]);
      sum += static_cast<double>(weights.values[p]);
    }
    const auto most = std::ranges::max_element(held);
    PlacedItem& item = placed.emplace_back();
    item.cluster = sum > 0 ? std::to_string(most - held.begin()) : model.items.no_topic();
    item.weight = sum > 0 ? *most / sum : 0;
  }
  return placed;
}

#define COPSE_INSTANTIATE(T)                                                                             \
  template SparseMatrix<T> edges_of_items(const Dataset<T>&, const Settings&, const CommunityModel<T>&); \
  template NewNodes<T> read_new_nodes(const NewItemsOptions&, const Settings&, const CommunityModel<T>&, \
                                      const RunEvents&);                                                 \
  template std::vector<PlacedItem> place(const CommunityModel<T>&, const SparseMatrix<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
