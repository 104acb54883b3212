#include "copse/run/graph_tree_run.h"

#include <algorithm>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/version.h"
#include "copse/input/options.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/options.h"
#include "copse/model/stored_result.h"
#include "copse/run/leaves.h"

namespace copse {
namespace {

// The nodes are both: what communities are made of, and what they are called after.
void take_nodes_as_features(ModelItems& items, Index nodes) {
  items.feature_names.clear();
  items.kept_features.resize(static_cast<std::size_t>(nodes));
  std::iota(items.kept_features.begin(), items.kept_features.end(), Index(0));
  for (Index i = 0; i < nodes; ++i) items.feature_names.push_back(items.item_names[items.number_of(i)]);
  items.feature_factors.clear();
  items.feature_totals.clear();
  // Items that preparation kept out of the graph have no place in it.
  items.outside_ids.assign(items.outside_items.size(), "");
  items.outside_weights.assign(items.outside_items.size(), 0.0);
}

}  // namespace

template <class T>
TreeResult run_graph_tree(const GraphTreeRunOptions& options, const RunEvents& events) {
  check_conflicts(options);
  TreeResult result;
  const Stopwatch clock;
  RunReport& report = result.report;
  GraphInput<T> input = load_graph<T>(options.input, 1, options.memory_limit, events, report.seconds);
  const Stopwatch solving;
  events.show("splitting ...");
  GraphTree found = cluster_graph_tree(input.graph, options.tree);
  report.seconds.solve = solving.seconds();
  uninterrupted([&] {
    report.command = options.command;
    report.settings = run_settings(options, precision_of<T>);
    report.seed = options.tree.tree.seed;
    report.threads = thread_count();
    report.nonzeros = input.graph.weights.nonzeros();
    report.iterations = static_cast<int>(found.tree.cost.iterations);
    report.stop_reason = found.tree.stop_reason;
    report.notes = std::move(input.notes);
    for (std::string& note : notes_on(input.graph)) report.notes.push_back(std::move(note));
    for (std::string& note : found.notes) report.notes.push_back(std::move(note));
    result.model.versions.push_back({std::move(found.tree)});
    result.model.items = std::move(input.items);
    take_nodes_as_features(result.model.items, input.graph.nodes());
    result.top = options.top;
    take_leaves(result);
    describe(result);
    result.explanation = explain_leaves(result.tree(), options.tree.tree.leaves);
  });
  result.clock = clock;
  return result;
}

template <class T>
GraphTreeData<T>::GraphTreeData(const Settings& settings, const RunEvents& events, Seconds& seconds) {
  GraphInputOptions options;
  take_settings(settings, options);
  if (options.items.path.empty()) throw InputError("the graph was in memory, and a split needs it again.");
  const double tau = number_setting(settings, "tau", 0);
  input_ = load_graph<T>(options, 1, 0, events, seconds);
  x_ = std::make_unique<SparseData<T>>(input_.graph.weights);
  data_.emplace(RunData<T>{*x_, [this, tau] { return graph_tree_data<T>(input_.graph.weights, tau); },
                           input_.graph.weights.nonzeros()});
}

#define COPSE_INSTANTIATE(T)                                                           \
  template TreeResult run_graph_tree<T>(const GraphTreeRunOptions&, const RunEvents&); \
  template class GraphTreeData<T>;
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
