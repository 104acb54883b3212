#include "copse/result/tree_run.h"

#include <fmt/format.h>

#include "copse/base/parallel.h"
#include "copse/kernels/in_memory.h"
#include "copse/result/assign.h"
#include "copse/result/document_facts.h"
#include "copse/result/fields.h"
#include "copse/result/split_log.h"
#include "copse/result/stability.h"
#include "copse/result/stored_result.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

Settings settings_of(const TreeRunOptions& options, const TreeOptions& tree, Precision precision) {
  Settings settings = settings_of(options.input);
  add_settings(tree, settings);
  if (options.stability > 0) settings.emplace_back("stability", static_cast<std::int64_t>(options.stability));
  settings.emplace_back("precision", name_of(precision));
  return settings;
}

template <class T>
void grow_tree(const TreeRunOptions& options, const TreeOptions& tree, const PreparedInput<T>& input,
               const RunEvents& events, TreeResult<T>& result) {
  std::unique_ptr<SplitLog<T>> log;
  if (!options.split_log.empty())
    log = std::make_unique<SplitLog<T>>(options.split_log, fingerprint(input.data, tree), options.resume);
  result.model.versions.push_back({build_tree(*tree_data(input.data), tree, log.get())});
  if (log != nullptr && log->recalled() > 0) {
    result.report.notes.push_back(fmt::format("{} of {} factorizations were taken from the run before.",
                                              log->recalled(), result.tree().cost.factorizations));
  }
  if (options.flat) {
    events.show("fitting all items to the leaves ...");
    fit_flat(*in_memory(input.data), result);
  } else {
    take_leaves(result);
  }
}

// Trees of subsamples with as many leaves.
template <class T>
void add_stability(const TreeRunOptions& options, TreeOptions tree, const Dataset<T>& data, const RunEvents& events,
                   TreeResult<T>& result) {
  const std::uint64_t seed = tree.seed;
  tree.progress = {};
  const FindTopics<T> find = [&](const Dataset<T>& part, int number) -> std::optional<Hierarchy> {
    tree.seed = seed + 1 + static_cast<std::uint64_t>(number);
    TreeResult<T> found;
    found.model.versions.push_back({build_tree(*tree_data(part), tree)});
    if (found.tree().stop_reason == StopReason::interrupted) return {};
    if (options.flat) fit_flat(*in_memory(part), found);
    return hierarchy_of(found.model, part.items());
  };
  RunReport& report = result.report;
  measure_stability(data, options.stability, seed, find, events, result.view, result.model.items, report.notes);
  const auto leaves = result.tree().leaf_nodes();
  for (std::size_t c = 0; c < leaves.size(); ++c) report.topics[c].stability = result.view.nodes[leaves[c]].stability;
}

}  // namespace

template <class T>
TreeResult<T> run_tree(const TreeRunOptions& options, const RunEvents& events) {
  TreeResult<T> result;
  RunReport& report = result.report;
  TreeOptions tree = options.tree;
  const MemoryJob job{.method = Method::tree, .clusters = tree.leaves, .memory_limit = options.memory_limit};
  PreparedInput<T> input = load<T>(options.input, job, events, report.seconds);
  const Stopwatch solving;
  tree.score = options.score.value_or(default_score(input.data.feature_names));
  grow_tree(options, tree, input, events, result);
  report.seconds.solve = solving.seconds();
  // From here on an interruption changes nothing: what was found is kept.
  uninterrupted([&] {
    report.nonzeros = input.data.nonzeros();
    report.notes.insert(report.notes.begin(), input.notes.begin(), input.notes.end());
    result.model.items = take_items(input);
    report.settings = settings_of(options, tree, precision_of<T>);
    place_outside(input, report.settings, result.model);
    add_document_facts(input.data, options.keep_texts ? input.source.get() : nullptr, result.model);
    report.command = options.command;
    report.seed = tree.seed;
    report.threads = thread_count();
    report.iterations = static_cast<int>(result.tree().cost.iterations);
    report.stop_reason = result.tree().stop_reason;
    result.top = options.top;
    describe(result);
    result.explanation = explain_leaves(result.tree(), tree.leaves);
  });
  if (options.stability > 0) add_stability(options, tree, input.data, events, result);
  return result;
}

Score default_score(const std::vector<std::string>& feature_names) {
  return feature_names.empty() ? Score::error : Score::mndcg;
}

template TreeResult<float> run_tree(const TreeRunOptions&, const RunEvents&);
template TreeResult<double> run_tree(const TreeRunOptions&, const RunEvents&);

}  // namespace copse
