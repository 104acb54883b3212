#include "copse/run/cluster_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/version.h"
#include "copse/cluster/hard_error.h"
#include "copse/cluster/k_means.h"
#include "copse/describe/document_facts.h"
#include "copse/input/options.h"
#include "copse/input/stored_input.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/factors.h"
#include "copse/methods/choices.h"
#include "copse/nmf/error.h"
#include "copse/run/assign.h"

namespace copse {
namespace {

// The mean of each cluster's items, by direction where new ones are placed by angle: unit items then count alike.
template <class T>
Matrix<T> centres_of(const Dataset<T>& items, const std::vector<Index>& labels, Index k, bool by_angle) {
  Matrix<double> sums(items.features(), k);
  std::vector<double> counts(static_cast<std::size_t>(k), 0.0);
  for (Index j = 0; j < items.items(); ++j) {
    if (labels[j] < 0) continue;
    double square = 0;
    visit_nonzeros(items, j,
                   [&](Index, T value) { square += static_cast<double>(value) * static_cast<double>(value); });
    if (by_angle && !(square > 0)) continue;
    const double by = by_angle ? 1 / std::sqrt(square) : 1;
    counts[labels[j]] += 1;
    visit_nonzeros(items, j, [&](Index i, T value) { sums(i, labels[j]) += by * static_cast<double>(value); });
  }
  if (by_angle) {
    std::fill(counts.begin(), counts.end(), 0.0);
    for (Index i = 0; i < sums.rows(); ++i) {
      for (Index c = 0; c < k; ++c) counts[c] += sums(i, c) * sums(i, c);
    }
    for (double& count : counts) count = std::sqrt(count);
  }
  Matrix<T> centres(items.features(), k);
  for (Index i = 0; i < sums.rows(); ++i) {
    for (Index c = 0; c < k; ++c) centres(i, c) = counts[c] > 0 ? static_cast<T>(sums(i, c) / counts[c]) : T(0);
  }
  return centres;
}

template <class T>
RunReport make_report(const ClusterRunOptions& options, const MethodResult<T>& found) {
  RunReport report;
  report.command = options.command;
  report.version = version();
  report.seed = options.method.seed;
  report.threads = thread_count();
  report.k = found.k;
  report.iterations = found.iterations;
  report.stop_reason = found.stop_reason;
  report.best_run = found.best_run;
  report.objective = found.objective;
  report.run_objectives = found.run_objectives;
  report.notes = found.notes;
  return report;
}

MemoryJob job_of(const ClusterRunOptions& options) {
  return {.gives = Gives::flat,
          .clusters = 1,  // NMF would refuse more clusters than features: see check_clusters_fit()
          .memory_limit = options.memory_limit,
          .option = "`clusters`",
          .has_page = options.keep_texts,
          .samples = false,
          .breathes = false,
          .is_text = options.input.items.documents.has_value(),
          .entries = options.method.method->traits.reads == Reads::counts,
          .needs_all = "this method needs all entries in memory"};
}

}  // namespace

template <class T>
ClusterFactors<T> factors_of(const Dataset<T>& items, MethodResult<T>& found) {
  ClusterFactors<T> factors;
  const bool by_angle = *found.place == PlaceBy::angle;
  factors.w = found.w.cols() > 0 ? std::move(found.w) : centres_of(items, found.labels, found.k, by_angle);
  if (found.weights.cols() > 0) {
    factors.h = std::move(found.weights);
    return factors;
  }
  switch (*found.place) {
    case PlaceBy::angle:
    case PlaceBy::distance:
    case PlaceBy::unit_distance:
      factors.h = nearest_weights<T>(*in_memory(items), factors.w, *found.place);
      break;
    case PlaceBy::least_squares:
    case PlaceBy::divergence:
    case PlaceBy::topic_shares:
      factors.h = Matrix<T>(items.items(), found.k);
  }
  for (Index j = 0; j < items.items(); ++j) {
    const std::span<T> row = factors.h.row(j);
    const Index label = found.labels[j];
    const Index nearest = std::ranges::max_element(row) - row.begin();
    if (label >= 0 && row[nearest] > T(0) && nearest == label) continue;
    const bool has_nearest = row[nearest] > T(0);
    std::ranges::fill(row, T(0));
    if (label < 0) continue;
    row[label] = T(0.5);
    if (has_nearest) row[nearest] = std::nextafter(T(0.5), T(0));
  }
  return factors;
}

template <class T>
FlatResult run_cluster(const ClusterRunOptions& options, const RunEvents& events) {
  const Stopwatch clock;
  Seconds seconds;
  PreparedInput<T> input = load_for<T>(*options.method.method, options.input.items, job_of(options), events, seconds);
  return run_cluster(options, std::move(input), seconds, clock, events);
}

template <class T>
FlatResult run_cluster(const ClusterRunOptions& options, PreparedInput<T> input, Seconds seconds, Stopwatch clock,
                       const RunEvents& events) {
  const Method& method = *options.method.method;
  const InputOptions reading = input_for(method, options.input.items);
  input.estimated_memory += check_clusters_fit(input.data, options.method, options.memory_limit, reading.called());
  std::vector<std::string> notes = input.notes;
  if (reading.prepare.weighting != options.input.items.prepare.weighting)
    notes.push_back("This method models counts of words: they are not weighed.");
  const bool unit = wants_unit_length(method, reading);
  if (unit)
    notes.push_back("The documents have unit length for this method: otherwise it parts long ones from short ones.");
  const Stopwatch joining;
  const Graph<T> graph = graph_for(options.method, options.input, options.memory_limit, input.data, events, notes);
  if (method.traits.reads_graph() && graph.edges() == 0)
    throw InputError(fmt::format("{}: no item has a neighbour; there is nothing to cluster.", reading.called()));
  seconds.prepare += joining.seconds();
  const Stopwatch solving;
  events.show(method.name + " ...");
  MethodResult<T> found = cluster_by(method_data(method, input.data, graph), options.method);
  if (unit && *found.place == PlaceBy::distance) found.place = PlaceBy::unit_distance;
  FlatResult result;
  result.report = make_report(options, found);
  RunReport& report = result.report;
  report.seconds.solve = solving.seconds();
  // From here on an interruption changes nothing: what was found is kept.
  uninterrupted([&] {
    report.seconds.read = seconds.read;
    report.seconds.prepare = seconds.prepare;
    report.rows = input.data.features();
    report.cols = input.data.items();
    report.nonzeros = input.data.nonzeros();
    report.estimated_memory_bytes = static_cast<Index>(input.estimated_memory);
    report.settings = settings_of(reading);
    add_settings(options.method, report.settings);
    if (method.traits.reads_graph()) {
      report.settings.emplace_back("neighbours", static_cast<std::int64_t>(options.input.neighbours));
      report.settings.emplace_back("item_graph", name_of(options.input.similarity));
    }
    report.settings.emplace_back("place", name_of(*found.place));
    report.settings.emplace_back("precision", name_of(precision_of<T>));
    ClusterFactors<T> factors = factors_of(input.data, found);
    const auto x = in_memory(input.data);
    report.relative_error = method.traits.soft && *found.place == PlaceBy::least_squares
                                ? relative_error<T>(*x, factors.w, factors.h)
                                : hard_error(input.data, factors.w, found.labels);
    report.w_zero_share = zero_share(factors.w);
    report.h_zero_share = zero_share(factors.h);
    const RunData<T> data = run_data(input, *x, options.keep_texts);
    result.model = {std::move(factors.w), std::move(factors.h), {}, {}, take_items(input), *found.place, found.prior};
    place_outside(data.outside, report.settings, result.model);
    add_document_facts(*data.words, data.documents, result.model);
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
    result.top = options.top;
    describe(result);
    result.clock = clock;
  });
  return result;
}

template <class T>
GraphResult run_cluster_graph(const ClusterRunOptions& options, const RunEvents& events) {
  const Stopwatch clock;
  const Method& method = *options.method.method;
  if (method.traits.reads != Reads::graph) throw InvalidArgument(method.name + " reads items, not a graph.");
  Seconds seconds;
  GraphInputOptions given = options.input;
  given.similarity = ItemSimilarity::none;
  GraphInput<T> input = load_graph<T>(given, options.method.k, options.memory_limit, events, seconds);
  const Stopwatch solving;
  events.show(method.name + " ...");
  MethodResult<T> found = cluster_by<T>({.graph = &input.graph}, options.method);
  GraphResult result;
  result.report = make_report(options, found);
  RunReport& report = result.report;
  report.seconds.solve = solving.seconds();
  uninterrupted([&] {
    report.seconds.read = seconds.read;
    report.seconds.prepare = seconds.prepare;
    report.rows = report.cols = input.graph.nodes();
    report.nonzeros = input.graph.weights.nonzeros();
    add_settings(given, report.settings);
    add_settings(options.method, report.settings);
    report.settings.emplace_back("overlap", ViewLimits().overlap);
    report.settings.emplace_back("precision", name_of(precision_of<T>));
    std::vector<std::string> notes = std::move(input.notes);
    for (std::string& note : notes_on(input.graph)) notes.push_back(std::move(note));
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
    CommunityModel& model = result.model;
    // Every node belongs to its cluster alone; those without one are pieces by themselves, numbered after the others.
    Matrix<T> b(input.graph.nodes(), found.k);
    Index next = found.k;
    for (Index i = 0; i < input.graph.nodes(); ++i) {
      if (found.labels[i] >= 0) {
        b(i, found.labels[i]) = T(1);
      } else {
        found.labels[i] = next++;
      }
    }
    model.memberships = model.b = std::move(b);
    model.labels = std::move(found.labels);
    model.graph = CommunityGraph<T>{std::move(input.graph.weights), {}};
    model.items = std::move(input.items);
    result.top = options.top;
    describe(result);
    result.clock = clock;
  });
  return result;
}

#define COPSE_INSTANTIATE(T)                                                                                         \
  template ClusterFactors<T> factors_of(const Dataset<T>&, MethodResult<T>&);                                        \
  template FlatResult run_cluster<T>(const ClusterRunOptions&, const RunEvents&);                                    \
  template FlatResult run_cluster(const ClusterRunOptions&, PreparedInput<T>, Seconds, Stopwatch, const RunEvents&); \
  template GraphResult run_cluster_graph<T>(const ClusterRunOptions&, const RunEvents&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
