#include "apps/copse/tree_run.h"

#include <fmt/format.h>

#include <bit>

#include "apps/copse/document_facts.h"
#include "apps/copse/factor_run.h"
#include "apps/copse/interrupt.h"
#include "apps/copse/memory.h"
#include "apps/copse/result_page.h"
#include "apps/copse/split_log.h"
#include "apps/copse/stopwatch.h"
#include "apps/copse/tree_result.h"
#include "copse/kernels/in_memory.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

Settings settings_of(const TreeRunOptions& options, const TreeOptions& tree) {
  Settings settings = settings_of(options.input);
  const Settings own = {{"leaves", static_cast<std::int64_t>(tree.leaves)},
                        {"score", name_of(score_choices(), tree.score)},
                        {"pick", name_of(pick_choices(), tree.pick)},
                        {"min_score", tree.min_score},
                        {"outlier_trials", static_cast<std::int64_t>(tree.outlier_trials)},
                        {"imbalance", tree.imbalance},
                        {"start", name_of(split_start_choices(), tree.start)},
                        {"tolerance", tree.tolerance},
                        {"max_iterations", static_cast<std::int64_t>(tree.max_iterations)},
                        {"precision", name_of(precision_choices(), options.machine.precision)}};
  settings.insert(settings.end(), own.begin(), own.end());
  return settings;
}

// Two runs with the same number have the same factorizations under the same keys.
template <class T>
std::uint64_t fingerprint(const Data<T>& x, const TreeOptions& tree) {
  std::uint64_t sum = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t word) { sum = (sum ^ word) * 0x100000001b3, sum ^= sum >> 29; };
  for (const Index value : {x.rows(), x.cols(), x.nonzeros()}) add(static_cast<std::uint64_t>(value));
  for (const double value : {x.squared_norm(), tree.tolerance, tree.imbalance, tree.min_score})
    add(std::bit_cast<std::uint64_t>(value));
  for (const std::int64_t value : {static_cast<std::int64_t>(tree.score), static_cast<std::int64_t>(tree.pick),
                                   std::int64_t{tree.max_iterations}, std::int64_t{tree.outlier_trials}})
    add(static_cast<std::uint64_t>(value));
  add(static_cast<std::uint64_t>(tree.start));
  add(tree.seed);
  return sum;
}

template <class T>
int run_tree_of(const TreeRunOptions& options, OutputFolder* folder) {
  Terminal terminal(options.output.quiet);
  const Stopwatch whole;
  TreeResult<T> result;
  RunReport& report = result.report;
  MatrixInput<T> input;
  TreeOptions tree = options.tree;
  std::unique_ptr<SplitLog<T>> log;
  with_threads(options.machine.threads, &interruption(), [&] {
    input = load<T>(options.input, options.machine, 1, terminal, report.seconds);
    tree.score = options.score.value_or(input.data.feature_names.empty() ? Score::error : Score::mndcg);
    const Stopwatch watch;
    const auto x = in_memory(input.data);
    const bool resume = options.split_log == SplitLogUse::resume;
    if (folder != nullptr && options.split_log != SplitLogUse::none) {
      log = std::make_unique<SplitLog<T>>(options.output.folder + std::string(partial_mark) + "splits",
                                          fingerprint(*x, tree), resume);
    }
    tree.progress = [&](const TreeProgress& progress) {
      terminal.show(fmt::format("splitting: {} of {} leaves ...", progress.leaves, progress.wanted));
      return true;
    };
    result.model.versions.push_back({build_tree(*tree_data(input.data), tree, log.get())});
    if (resume && log != nullptr && log->recalled() > 0) {
      report.notes.push_back(fmt::format("{} of {} factorizations were taken from the run before.", log->recalled(),
                                         result.tree().cost.factorizations));
    }
    report.relative_error = relative_error_of_leaves(result.tree());
    if (options.flat) {
      terminal.show("fitting all items to the leaves ...");
      fit_flat(*x, result);
    } else {
      result.model.topics = leaf_topics(result.tree());
    }
    report.seconds.solve = watch.seconds();
  });
  with_threads(options.machine.threads, nullptr, [&] {
    const Stopwatch watch;
    report.nonzeros = input.data.nonzeros();
    report.notes.insert(report.notes.begin(), input.notes.begin(), input.notes.end());
    result.model.items = take_items(input);
    const bool page = folder != nullptr && options.output.page;
    if (result.model.items.is_text())
      add_document_facts(input.data, page ? input.documents.source.get() : nullptr, result.model);
    report.command = options.command;
    report.settings = settings_of(options, tree);
    report.seed = tree.seed;
    report.threads = thread_count();
    report.iterations = static_cast<int>(result.tree().cost.iterations);
    report.stop_reason = result.tree().stop_reason;
    describe(result, options.top);
    result.texts.explanation = explain_leaves(result.tree(), tree.leaves);
    if (folder != nullptr) write_files(*folder, result);
    if (page) add_page(*folder, result.view, result.model.items, report);
    report.seconds.write = watch.seconds();
    report.seconds.total = whole.seconds();
    report.peak_memory_bytes = peak_memory();
    if (folder != nullptr) {
      folder->add("result.json").write(to_json(report));
      folder->commit();
    }
    if (log != nullptr) log->remove();
    show(result, options.output, terminal);
  });
  return interrupted_exit_code();
}

}  // namespace

const Choices<Score>& score_choices() {
  static const Choices<Score> choices = {{"mndcg", Score::mndcg},           {"error", Score::error},
                                         {"rank1-gain", Score::rank1_gain}, {"fit", Score::fit},
                                         {"rank1", Score::rank1},           {"rank2", Score::rank2}};
  return choices;
}

const Choices<Pick>& pick_choices() {
  static const Choices<Pick> choices = {{"score", Pick::score}, {"size", Pick::size}};
  return choices;
}

const Choices<Rank2Start>& split_start_choices() {
  static const Choices<Rank2Start> choices = {{"singular", Rank2Start::singular}, {"random", Rank2Start::random}};
  return choices;
}

int run_tree(const TreeRunOptions& options) {
  const auto folder = open_folder(options.output, options.input.path);
  return run_tree(options, folder.get());
}

int run_tree(const TreeRunOptions& options, OutputFolder* folder) {
  return options.machine.precision == Precision::single ? run_tree_of<float>(options, folder)
                                                        : run_tree_of<double>(options, folder);
}

}  // namespace copse
