// What a method reads, from files: items as it wants them, and a graph of them where it reads one. `cluster`, `compare`
// and `choose` go this way to cluster_by().
#pragma once

#include <string>
#include <vector>

#include "copse/input/graph_input.h"
#include "copse/input/input.h"
#include "copse/input/memory.h"
#include "copse/methods/method.h"

namespace copse {

// How `input` must be prepared for the method: counts are not weighed for those that model counts.
InputOptions input_for(const Method& method, InputOptions input);

// K-means parts items by their length where lengths differ, and Weighting::text leaves them different: documents get
// unit length for such a method, after preparation.
bool wants_unit_length(const Method& method, const InputOptions& input);
template <class T>
void give_unit_length(Dataset<T>& items);

// load() for input_for(), and unit length where the method wants it.
template <class T>
PreparedInput<T> load_for(const Method& method, const InputOptions& input, const MemoryJob& job,
                          const RunEvents& events, Seconds& seconds);

// The edges of items where nobody says what they mean.
ItemSimilarity default_item_similarity(bool sparse);

// The graph of prepared items, where the method reads one; else an empty one. Throws InputError where it does not fit
// in memory.
template <class T>
Graph<T> graph_for(const MethodOptions& options, GraphInputOptions input, double memory_limit, const Dataset<T>& items,
                   const RunEvents& events, std::vector<std::string>& notes);

template <class T>
MethodData<T> method_data(const Method& method, const Dataset<T>& items, const Graph<T>& graph) {
  return {.items = &items, .graph = method.traits.reads_graph() ? &graph : nullptr};
}

// The bytes that the method takes beside `items`. Throws InputError where they do not fit, or k is above the number of
// items. K may be larger than the number of features, unlike the rank of NMF.
template <class T>
double check_clusters_fit(const Dataset<T>& items, const MethodOptions& options, double memory_limit,
                          const std::string& called);

}  // namespace copse
