#include "copse/run/graph_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/version.h"
#include "copse/graph/choose_communities.h"
#include "copse/measure/factors.h"
#include "copse/methods/options.h"
#include "copse/run/graph_assign.h"

namespace copse {
namespace {

template <class T>
RunReport make_report(const GraphRunOptions& options, const GraphClusters<T>& found, const Graph<T>& graph) {
  RunReport report;
  const GraphRun& best = found.runs[static_cast<std::size_t>(found.best_run)];
  report.command = options.command;
  report.version = version();
  report.settings = run_settings(options, precision_of<T>);
  report.seed = options.cluster.seed;
  report.threads = thread_count();
  report.k = options.cluster.k;
  report.rows = report.cols = graph.nodes();
  report.nonzeros = graph.weights.nonzeros();
  report.iterations = best.iterations;
  report.relative_error = best.relative_error;
  report.stop_reason =
      found.runs.back().stop_reason == StopReason::interrupted ? StopReason::interrupted : best.stop_reason;
  for (const GraphRun& run : found.runs) report.run_errors.push_back(run.relative_error);
  report.best_run = found.best_run;
  for (const SymIteration& step : found.history) {
    Iteration& iteration = report.history.emplace_back();
    iteration.number = step.number;
    iteration.relative_error = step.relative_error;
    iteration.projected_gradient_ratio = step.projected_gradient_ratio;
    iteration.seconds = step.seconds;
  }
  if (!report.history.empty()) report.projected_gradient_ratio = report.history.back().projected_gradient_ratio;
  report.w_zero_share = report.h_zero_share = zero_share(found.b);
  return report;
}

std::string sentence_of(const CommunityChoice& choice) {
  const std::string chance = fmt::format("graphs with the same degrees and random edges reach {:.3f} +- {:.3f}",
                                         choice.null_modularity, choice.null_deviation);
  if (choice.k == 1)
    return fmt::format("No evidence of communities: modularity is {:.3f} at most, and {}.", choice.modularity, chance);
  return fmt::format("{} communities: modularity is highest there, {:.3f}, and {}.", choice.k, choice.modularity,
                     chance);
}

// Items that preparation kept out of the graph join the communities of their neighbours.
template <class T>
void place_outside(const Dataset<T>& outside, const Settings& settings, CommunityModel& model) {
  ModelItems& items = model.items;
  if (items.outside_items.empty()) return;
  const NewItems<T> matched = match_items(outside, settings, items);
  for (const PlacedItem& placed : place(model, edges_of_items(matched.data, settings, model))) {
    items.outside_ids.push_back(placed.cluster == items.no_topic() ? "" : placed.cluster);
    items.outside_weights.push_back(placed.weight);
  }
}

}  // namespace

template <class T>
GraphResult run_graph(const GraphRunOptions& given, GraphInput<T> input, const RunEvents& events) {
  if (input.graph.edges() == 0) throw InvalidArgument("the graph has no edges; there is nothing to cluster");
  GraphResult result;
  const Stopwatch solving;
  GraphRunOptions options = given;
  if (options.auto_k) {
    events.show("counting communities ...");
    const CommunityChoice choice = choose_communities(input.graph, options.cluster.seed);
    options.cluster.k = choice.k;
    input.notes.push_back(sentence_of(choice));
  }
  events.show("finding communities ...");
  GraphClusters<T> found = cluster_graph(input.graph, options.cluster);
  const double seconds = solving.seconds();
  // From here on an interruption changes nothing: what was found is kept.
  uninterrupted([&] {
    result.report = make_report(options, found, input.graph);
    result.report.seconds.solve = seconds;
    result.report.notes = std::move(input.notes);
    for (std::string& note : notes_on(input.graph)) result.report.notes.push_back(std::move(note));
    for (std::string& note : found.notes) result.report.notes.push_back(std::move(note));
    CommunityModel& model = result.model;
    model.graph = CommunityGraph<T>{std::move(input.graph.weights), std::move(input.data)};
    model.b = std::move(found.b);
    model.memberships = std::move(found.weights);
    model.labels = std::move(found.labels);
    model.labels_of_start = found.labels_of_start;
    model.items = std::move(input.items);
    place_outside(input.outside, result.report.settings, model);
    result.overlap = options.overlap;
    result.top = options.top;
    describe(result);
  });
  return result;
}

template <class T>
GraphResult run_graph(const GraphRunOptions& options, const RunEvents& events) {
  check_conflicts(options);
  const Stopwatch clock;
  Seconds seconds;
  GraphInput<T> input =
      load_graph<T>(options.input, options.auto_k ? 20 : options.cluster.k, options.memory_limit, events, seconds);
  GraphResult result = run_graph(options, std::move(input), events);
  result.report.seconds.read = seconds.read;
  result.report.seconds.prepare = seconds.prepare;
  result.clock = clock;
  return result;
}

#define COPSE_INSTANTIATE(T)                                                               \
  template GraphResult run_graph(const GraphRunOptions&, GraphInput<T>, const RunEvents&); \
  template GraphResult run_graph<T>(const GraphRunOptions&, const RunEvents&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
