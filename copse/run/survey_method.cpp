#include "copse/run/survey_method.h"

#include <fmt/format.h>

#include <algorithm>

#include "copse/base/error.h"
#include "copse/kernels/in_memory.h"
#include "copse/methods/choices.h"
#include "copse/run/cluster_run.h"
#include "copse/run/tree_run.h"

namespace copse {
namespace {

const std::string nmf = "nmf", tree = "tree", symnmf = "symnmf";
constexpr ClusterMethod with_centres[] = {ClusterMethod::kmeans, ClusterMethod::spherical_kmeans,
                                          ClusterMethod::repeated_bisection};

bool has_centres(const std::string& method) {
  return std::ranges::any_of(with_centres, [&](ClusterMethod one) { return name_of(one) == method; });
}

ClusterMethod centres_of(const std::string& method) { return choice_of<ClusterMethod>("method", method); }

// Their measures are of NMF only.
bool is_of_nmf(RunKind kind) {
  return kind == RunKind::hold_out || kind == RunKind::bi_cross || kind == RunKind::perturbed;
}

}  // namespace

std::vector<std::string> survey_methods() {
  std::vector<std::string> names = {nmf, tree, symnmf};
  for (const ClusterMethod method : with_centres) names.push_back(name_of(method));
  return names;
}

template <class T>
std::unique_ptr<Clusterer<T>> clusterer_of(const ChooseRunOptions& options,
                                           const std::vector<std::string>& feature_names) {
  const std::string& method = options.method;
  const std::vector<std::string> names = survey_methods();
  if (std::ranges::find(names, method) == names.end()) refuse_choice("method", method, names);
  if (method == nmf) return nmf_clusterer<T>(options.flat.nmf);
  if (options.question == Question::components)
    throw InvalidArgument(fmt::format(
        "How many components there are is told by hidden entries, which {} cannot foretell: only nmf can.", method));
  if (options.flat.nmf.affine)
    throw InvalidArgument(fmt::format("A baseline (affine) goes with nmf, not with {}.", method));
  if (options.flat.nmf.beta > 0)
    throw InvalidArgument(fmt::format("Sparse NMF is of nmf, and does not go with {}.", method));
  if (options.flat.consensus.runs > 0)
    throw InvalidArgument(fmt::format("A consensus of runs goes with nmf, not with {}.", method));
  if (method == tree) return tree_clusterer<T>({.score = default_score(feature_names)});
  if (method == symnmf) return symnmf_clusterer<T>();
  return centre_clusterer<T>({.method = centres_of(method)});
}

std::vector<RunKind> kinds_for(const std::string& method, const std::vector<RunKind>& asked) {
  std::vector<RunKind> kinds = asked;
  if (method != nmf) std::erase_if(kinds, is_of_nmf);
  return kinds;
}

std::string left_out_for(const std::string& method, bool all_measures) {
  if (method == nmf) return "";
  const bool has_components =
      method == tree || (has_centres(method) && traits_of(centres_of(method)).place == PlaceBy::angle);
  return fmt::format("{} cannot foretell hidden entries{}: {} left out{}.", method,
                     has_components ? "" : " and has no components whose directions could be compared",
                     has_components ? "their error is" : "both measures are",
                     all_measures ? ", and so is the perturbation test, which is one of nmf" : "");
}

template <class T>
void prepare_for(const ChooseRunOptions& options, Dataset<T>& items) {
  if (has_centres(options.method) && wants_unit_length(centres_of(options.method), options.flat.input))
    give_unit_length(items);
}

template <class T>
ChooseResult<T> run_chosen(const ChooseRunOptions& options, Index k, PreparedInput<T> input, Seconds seconds,
                           Stopwatch clock, const RunEvents& events) {
  const FlatRunOptions& flat = options.flat;
  if (has_centres(options.method)) {
    ClusterRunOptions cluster;
    cluster.command = flat.command;
    cluster.memory_limit = flat.memory_limit;
    cluster.input.items = flat.input;
    cluster.method.method = centres_of(options.method);
    cluster.method.k = k;
    cluster.method.seed = options.survey.seed;
    cluster.top = flat.top;
    cluster.keep_texts = flat.keep_texts;
    return run_cluster(cluster, std::move(input), seconds, clock, events);
  }
  if (options.method == symnmf) {
    GraphRunOptions graph;
    graph.command = flat.command;
    graph.memory_limit = flat.memory_limit;
    graph.input.items = flat.input;
    graph.input.similarity = input.data.is_sparse() ? ItemSimilarity::cosine : ItemSimilarity::self_tuning;
    graph.cluster.k = k;
    graph.cluster.seed = options.survey.seed;
    GraphInput<T> joined = join_items(std::move(input), graph.input, k, flat.memory_limit, events, seconds);
    GraphResult<T> result = run_graph(graph, std::move(joined), events);
    result.clock = clock;
    return result;
  }
  const std::vector<std::string> notes = input.notes;
  ModelItems items = take_items(input);
  const auto x = in_memory(input.data);
  const RunData<T> data = run_data(input, *x, flat.keep_texts);
  const auto with_notes = [&](auto result) -> ChooseResult<T> {
    result.report.notes.insert(result.report.notes.begin(), notes.begin(), notes.end());
    result.clock = clock;
    return result;
  };
  if (options.method == tree) {
    TreeRunOptions growing;
    growing.command = flat.command;
    growing.input = flat.input;
    growing.tree.leaves = k;
    growing.tree.seed = options.survey.seed;
    growing.top = flat.top;
    growing.memory_limit = flat.memory_limit;
    growing.keep_texts = flat.keep_texts;
    return with_notes(run_tree(growing, data, std::move(items), events));
  }
  FlatRunOptions chosen = flat;
  chosen.nmf.rank = k;
  chosen.nmf.seed = options.survey.seed;
  chosen.nmf.tolerance = options.final_tolerance.value_or(flat.nmf.tolerance);
  chosen.nmf.progress = {};
  return with_notes(run_flat(chosen, data, std::move(items), {}, events));
}

#define COPSE_INSTANTIATE(T)                                                                                     \
  template std::unique_ptr<Clusterer<T>> clusterer_of(const ChooseRunOptions&, const std::vector<std::string>&); \
  template void prepare_for(const ChooseRunOptions&, Dataset<T>&);                                               \
  template ChooseResult<T> run_chosen(const ChooseRunOptions&, Index, PreparedInput<T>, Seconds, Stopwatch,      \
                                      const RunEvents&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
