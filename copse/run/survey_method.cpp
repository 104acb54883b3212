#include "copse/run/survey_method.h"

#include <fmt/format.h>

#include <algorithm>

#include "copse/base/error.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/options.h"
#include "copse/run/cluster_run.h"
#include "copse/run/tree_run.h"

namespace copse {
namespace {

// Their measures are of factorizations only.
bool is_of_factors(RunKind kind) {
  return kind == RunKind::hold_out || kind == RunKind::bi_cross || kind == RunKind::perturbed;
}

}  // namespace

std::vector<const Method*> survey_methods() {
  std::vector<const Method*> found;
  for (const Method* method : methods()) {
    if (method->clusterer) found.push_back(method);
  }
  return found;
}

const Method& survey_method(const std::string& name) {
  for (const Method* method : survey_methods()) {
    if (method->name == name) return *method;
  }
  refuse_choice("method", name, names_of(survey_methods()));
}

template <class T>
std::unique_ptr<Clusterer<T>> clusterer_of(const ChooseRunOptions& options,
                                           const std::vector<std::string>& feature_names) {
  const Method& method = *options.method;
  const auto refuse = [&](bool asked, const char* what) {
    if (asked)
      throw InvalidArgument(fmt::format("{} {}, not with {}.", what, default_method("factor").name, method.name));
  };
  if (!method.traits.factors) {
    if (options.question == Question::components)
      throw InvalidArgument(
          fmt::format("How many components there are is told by hidden entries, which {} cannot foretell: only {} can.",
                      method.name, default_method("factor").name));
    refuse(options.flat.nmf.affine, "A baseline (affine) goes with");
    refuse(options.flat.nmf.beta > 0, "Sparse NMF goes with");
    refuse(options.flat.consensus.runs > 0, "A consensus of runs goes with");
  }
  const std::any own = method.traits.factors ? std::any(options.flat.nmf) : std::any();
  return clusterer_by<T>(method.name, own, !feature_names.empty());
}

std::vector<RunKind> kinds_for(const Method& method, const std::vector<RunKind>& asked) {
  std::vector<RunKind> kinds = asked;
  if (!method.traits.factors) std::erase_if(kinds, is_of_factors);
  return kinds;
}

std::string left_out_for(const Method& method, bool all_measures) {
  if (method.traits.factors) return "";
  const bool has_components = method.traits.has_components;
  return fmt::format("{} cannot foretell hidden entries{}: {} left out{}.", method.name,
                     has_components ? "" : " and has no components whose directions could be compared",
                     has_components ? "their error is" : "both measures are",
                     all_measures ? ", and so is the perturbation test, which is one of nmf" : "");
}

namespace {

template <class T>
GraphResult chosen_communities(const ChooseRunOptions& options, Index k, PreparedInput<T> input, Seconds seconds,
                               Stopwatch clock, const RunEvents& events) {
  GraphRunOptions graph;
  graph.command = options.flat.command;
  graph.memory_limit = options.flat.memory_limit;
  graph.input.items = options.flat.input;
  graph.input.similarity = default_item_similarity(input.data.is_sparse());
  graph.cluster.k = k;
  graph.cluster.seed = options.survey.seed;
  GraphInput<T> joined = join_items(std::move(input), graph.input, k, options.flat.memory_limit, events, seconds);
  GraphResult result = run_graph(graph, std::move(joined), events);
  result.clock = clock;
  return result;
}

template <class T>
FlatResult chosen_clusters(const ChooseRunOptions& options, Index k, PreparedInput<T> input, Seconds seconds,
                           Stopwatch clock, const RunEvents& events) {
  ClusterRunOptions cluster;
  cluster.command = options.flat.command;
  cluster.memory_limit = options.flat.memory_limit;
  cluster.input.items = options.flat.input;
  cluster.method = options_for(*options.method);
  cluster.method.k = k;
  cluster.method.seed = options.survey.seed;
  cluster.top = options.flat.top;
  cluster.keep_texts = options.flat.keep_texts;
  return run_cluster(cluster, std::move(input), seconds, clock, events);
}

// Trees and factorizations take their data as they are.
template <class T, class Run>
ChooseResult chosen_topics(PreparedInput<T> input, bool keep_texts, Stopwatch clock, const Run& run) {
  const std::vector<std::string> notes = input.notes;
  ModelItems items = take_items(input);
  const auto x = in_memory(input.data);
  auto result = run(run_data(input, *x, keep_texts), std::move(items));
  result.report.notes.insert(result.report.notes.begin(), notes.begin(), notes.end());
  result.clock = clock;
  return result;
}

template <class T>
ChooseResult chosen_tree(const ChooseRunOptions& options, Index k, PreparedInput<T> input, Stopwatch clock,
                         const RunEvents& events) {
  TreeRunOptions growing;
  growing.command = options.flat.command;
  growing.input = options.flat.input;
  growing.tree.leaves = k;
  growing.tree.seed = options.survey.seed;
  growing.top = options.flat.top;
  growing.memory_limit = options.flat.memory_limit;
  growing.keep_texts = options.flat.keep_texts;
  return chosen_topics(std::move(input), growing.keep_texts, clock, [&](const RunData<T>& data, ModelItems items) {
    return run_tree(growing, data, std::move(items), events);
  });
}

template <class T>
ChooseResult chosen_factors(const ChooseRunOptions& options, Index k, PreparedInput<T> input, Stopwatch clock,
                            const RunEvents& events) {
  FlatRunOptions chosen = options.flat;
  chosen.nmf.rank = k;
  chosen.nmf.seed = options.survey.seed;
  chosen.nmf.tolerance = options.final_tolerance.value_or(options.flat.nmf.tolerance);
  chosen.nmf.progress = {};
  return chosen_topics(std::move(input), chosen.keep_texts, clock, [&](const RunData<T>& data, ModelItems items) {
    return run_flat(chosen, data, std::move(items), {}, events);
  });
}

}  // namespace

template <class T>
ChooseResult run_chosen(const ChooseRunOptions& options, Index k, PreparedInput<T> input, Seconds seconds,
                        Stopwatch clock, const RunEvents& events) {
  const Traits& traits = options.method->traits;
  if (traits.gives == Gives::communities)
    return chosen_communities(options, k, std::move(input), seconds, clock, events);
  if (traits.gives == Gives::tree) return chosen_tree(options, k, std::move(input), clock, events);
  if (traits.factors) return chosen_factors(options, k, std::move(input), clock, events);
  return chosen_clusters(options, k, std::move(input), seconds, clock, events);
}

#define COPSE_INSTANTIATE(T)                                                                                     \
  template std::unique_ptr<Clusterer<T>> clusterer_of(const ChooseRunOptions&, const std::vector<std::string>&); \
  template ChooseResult run_chosen(const ChooseRunOptions&, Index, PreparedInput<T>, Seconds, Stopwatch,         \
                                   const RunEvents&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
