#include "copse/run/method_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/memory.h"
#include "copse/graph/neighbours.h"
#include "copse/input/graph_memory.h"
#include "copse/methods/item_graph.h"
#include "copse/options/wording.h"

namespace copse {

InputOptions input_for(const Method& method, InputOptions input) {
  if (method.traits.reads != Reads::counts) return input;
  input.prepare.weighting = Weighting::none;
  input.prepare.feature_scaling = FeatureScaling::none;
  input.prepare.unit_items = false;
  input.prepare.normalized_cut = false;
  return input;
}

bool wants_unit_length(const Method& method, const InputOptions& input) {
  return method.traits.unit_text && input.prepare.weighting == Weighting::text;
}

template <class T>
void give_unit_length(Dataset<T>& items) {
  const auto scale = [](std::span<T> values) {
    double square = 0;
    for (const T value : values) square += static_cast<double>(value) * static_cast<double>(value);
    if (!(square > 0)) return;
    for (T& value : values) value = static_cast<T>(static_cast<double>(value) / std::sqrt(square));
  };
  if (auto* sparse = std::get_if<SparseMatrix<T>>(&items.values)) {
    for (Index j = 0; j < sparse->cols; ++j) {
      scale(std::span<T>(sparse->values.data() + sparse->offsets[j], sparse->values.data() + sparse->offsets[j + 1]));
    }
  } else {
    Matrix<T>& rows = std::get<Matrix<T>>(items.values);
    for (Index j = 0; j < rows.rows(); ++j) scale(rows.row(j));
  }
}

template <class T>
PreparedInput<T> load_for(const Method& method, const InputOptions& input, const MemoryJob& job,
                          const RunEvents& events, Seconds& seconds) {
  const InputOptions reading = input_for(method, input);
  PreparedInput<T> prepared = load<T>(reading, job, events, seconds);
  if (wants_unit_length(method, reading)) give_unit_length(prepared.data);
  return prepared;
}

ItemSimilarity default_item_similarity(bool sparse) {
  return default_similarity(sparse) == Similarity::cosine ? ItemSimilarity::cosine : ItemSimilarity::self_tuning;
}

template <class T>
Graph<T> graph_for(const MethodOptions& options, GraphInputOptions input, double memory_limit, const Dataset<T>& items,
                   const RunEvents& events, std::vector<std::string>& notes) {
  if (!options.method->traits.reads_graph()) return {};
  if (input.similarity == ItemSimilarity::none) input.similarity = default_item_similarity(items.is_sparse());
  const Index neighbours = input.neighbours > 0 ? input.neighbours : default_neighbours(items.items());
  check_graph_fits({items.items(), items.items() * neighbours, 0}, std::max<Index>(1, options.k), precision_of<T>,
                   memory_limit);
  events.show("finding neighbours ...");
  SimilarityReport report;
  Graph<T> graph;
  try {
    graph = similarity_graph(items, input.similarity_options(), &report);
  } catch (const InvalidArgument& error) {
    throw InputError(fmt::format("{}: {}.", input.items.called(), error.what()));
  }
  if (report.approximate)
    notes.push_back(fmt::format(
        "The neighbours were searched approximately: {:.1f} % of the nearest were found, of a sample of the items.",
        100 * report.recall));
  for (std::string& note : notes_on(graph)) notes.push_back(std::move(note));
  return graph;
}

template <class T>
double check_clusters_fit(const Dataset<T>& items, const MethodOptions& options, double memory_limit,
                          const std::string& called) {
  const Index k = options.k;
  if (k > items.items())
    throw InputError(
        fmt::format("`clusters` {} is too large for {}, which has {}.", k, called, counted(items.items(), "item")));
  const double needed = options.method->cost(workload_of(items), options).bytes;
  const double there = memory_limit > 0 ? memory_limit - resident_memory() : available_memory();
  if (needed > there)
    throw InputError(fmt::format(
        "`clusters` {} takes about {} of memory beside {}, and there are {}; a smaller `clusters` needs less.", k,
        in_bytes(needed), called, in_bytes(std::max(0.0, there))));
  return needed;
}

#define COPSE_INSTANTIATE(T)                                                                                        \
  template void give_unit_length(Dataset<T>&);                                                                      \
  template PreparedInput<T> load_for(const Method&, const InputOptions&, const MemoryJob&, const RunEvents&,        \
                                     Seconds&);                                                                     \
  template Graph<T> graph_for(const MethodOptions&, GraphInputOptions, double, const Dataset<T>&, const RunEvents&, \
                              std::vector<std::string>&);                                                           \
  template double check_clusters_fit(const Dataset<T>&, const MethodOptions&, double, const std::string&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
