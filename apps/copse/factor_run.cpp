#include "apps/copse/factor_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/copse/document_facts.h"
#include "apps/copse/interrupt.h"
#include "apps/copse/memory.h"
#include "apps/copse/result_page.h"
#include "apps/copse/stopwatch.h"
#include "apps/copse/topics.h"
#include "apps/copse/words.h"
#include "copse/base/error.h"
#include "copse/io/output_folder.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/factors.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

template <class T>
double largest_entry(const Dataset<T>& data) {
  const auto largest = [](auto values) {
    return values.empty() ? 0.0 : static_cast<double>(*std::max_element(values.begin(), values.end()));
  };
  if (data.is_sparse()) return largest(std::span<const T>(std::get<SparseMatrix<T>>(data.values).values));
  return largest(std::get<Matrix<T>>(data.values).values());
}

// alpha and beta from what was asked for and the seeds' rules.
template <class T>
void set_sparse_weights(const FactorRunOptions& options, const Dataset<T>& data, NmfOptions& nmf) {
  const double largest = largest_entry(data);
  const auto weights = [&](const SparseWeight& weight) {
    const bool snmf = weight == SparseWeight(SparseRule::snmf);
    return snmf ? snmf_sparse_weights(largest, data.is_sparse()) : thesis_sparse_weights(largest);
  };
  const auto value = [&](const SparseWeight& weight, double SparseWeights::*member) {
    return std::holds_alternative<double>(weight) ? std::get<double>(weight) : weights(weight).*member;
  };
  if (options.sparse) {
    nmf.beta = value(*options.sparse, &SparseWeights::beta);
    nmf.alpha = weights(*options.sparse).alpha;
  }
  if (options.sparse_w) nmf.alpha = value(*options.sparse_w, &SparseWeights::alpha);
}

template <class T>
NmfResult<T> solve(const FactorRunOptions& options, const MatrixInput<T>& input, NmfOptions& nmf, Terminal& terminal) {
  FactorProgress progress(terminal, nmf);
  nmf.progress = [&](const Iteration& iteration) {
    progress(iteration);
    return !interruption().requested();
  };
  terminal.show("factoring ...");
  const auto data = in_memory(input.data);
  if (options.dc) return factorize_dc(*data, *tree_data(input.data), nmf);
  if (!options.start_file.empty()) {
    StartFactors<T> start = read_start<T>(options.start_file, data->rows(), data->cols(), nmf.rank);
    return factorize(*data, nmf, std::move(start.w), std::move(start.h));
  }
  NmfResult<T> result = factorize(*data, nmf);
  if (options.exact_items) {
    result.h = assign_items<T>(*data, result.w, result.baseline, result.penalty);
    result.relative_error = relative_error(*data, result.w, result.h);
  }
  return result;
}

// Components that died: more clusters were asked for than the data has directions.
template <class T>
void note_dead_components(const Matrix<T>& w, std::vector<std::string>& notes) {
  std::vector<bool> alive(static_cast<std::size_t>(w.cols()));
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index c = 0; c < w.cols(); ++c) {
      if (w(i, c) > T(0)) alive[static_cast<std::size_t>(c)] = true;
    }
  }
  const Index dead = std::count(alive.begin(), alive.end(), false);
  if (dead == 0) return;
  notes.push_back(fmt::format("{} of {} clusters have no features: the rank of the matrix may be lower than {}.", dead,
                              w.cols(), w.cols()));
}

Settings settings_of(const FactorRunOptions& options, const NmfOptions& nmf) {
  Settings settings = settings_of(options.input);
  const Settings own = {
      {"solver", options.dc ? "dc" : name_of(solver_choices(), nmf.solver)},
      {"start", options.start_file.empty() ? name_of(start_choices(), nmf.start) : options.start_file},
      {"runs", static_cast<std::int64_t>(nmf.runs)},
      {"alpha", nmf.alpha},
      {"beta", nmf.beta},
      {"affine", nmf.affine},
      {"max_iterations", static_cast<std::int64_t>(nmf.max_iterations)},
      {"tolerance", nmf.tolerance},
      {"time_limit", nmf.time_limit},
      {"precision", name_of(precision_choices(), options.machine.precision)}};
  settings.insert(settings.end(), own.begin(), own.end());
  return settings;
}

std::string outcome(const RunReport& report, const std::string& solver) {
  const std::string iterations = counted(report.iterations, "iteration");
  std::string end;
  switch (report.stop_reason) {
    case StopReason::converged:
      end = "converged after " + iterations;
      break;
    case StopReason::max_iterations:
      end = "stopped after " + iterations + ", the most allowed";
      break;
    case StopReason::time_limit:
      end = "out of time after " + iterations;
      break;
    case StopReason::interrupted:
      end = "interrupted after " + iterations;
      break;
  }
  std::string line = fmt::format("{}: {}, {}; relative error {:.5f}", solver, end, in_seconds(report.seconds.solve),
                                 report.relative_error);
  if (report.run_errors.size() > 1) {
    const auto [least, most] = std::minmax_element(report.run_errors.begin(), report.run_errors.end());
    line += fmt::format(" (best of {} runs: {:.5f} to {:.5f})", report.run_errors.size(), *least, *most);
  }
  return line;
}

template <class T>
RunReport make_report(const FactorRunOptions& options, const NmfOptions& nmf, const NmfResult<T>& result) {
  RunReport report;
  report.command = options.command;
  report.version = COPSE_VERSION;
  report.settings = settings_of(options, nmf);
  report.seed = nmf.seed;
  report.threads = thread_count();
  report.k = nmf.rank;
  report.rows = result.w.rows();
  report.cols = result.h.rows();
  report.iterations = result.history.empty() ? 0 : result.history.back().number;
  report.relative_error = result.relative_error;
  report.projected_gradient_ratio = result.projected_gradient_ratio;
  report.stop_reason = result.stop_reason;
  report.run_errors = result.run_errors;
  report.best_run = result.best_run;
  report.w_zero_share = zero_share(result.w);
  report.h_zero_share = zero_share(result.h);
  report.history = result.history;
  return report;
}

// What the topics are about, and how well they agree with the classes.
template <class T>
void describe(const FlatModel<T>& model, const Clusters& clusters, Index top, RunReport& report) {
  report.items_without_cluster = clusters.without_cluster;
  report.topics = describe_topics(model.w, clusters, model.items.feature_names, top);
  for (std::size_t c = 0; c < model.items.coherence.size(); ++c) report.topics[c].coherence = model.items.coherence[c];
  note_dead_components(model.w, report.notes);
  report.measures = measure(model.items, clusters.labels);
  const std::vector<std::string> classes = kept_classes(model.items);
  if (!classes.empty()) add_main_classes(report.topics, clusters.labels, classes);
}

// All items of the file in their order.
std::vector<Assignment> all_assignments(const ModelItems& items, const Clusters& clusters) {
  std::vector<Assignment> assignments;
  const std::vector<Index> numbers = items.kept_numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Assignment& assignment = assignments.emplace_back();
    assignment.item = items.item_names[i];
    if (numbers[i] >= 0) {
      assignment.cluster = clusters.labels[numbers[i]];
      assignment.weight = clusters.weights[numbers[i]];
    }
    // Documents without a topic are groups with names.
    if (items.is_text() && assignment.cluster < 0) assignment.group = numbers[i] < 0 ? "short" : "outlier";
  }
  return assignments;
}

// All files but result.json, which tells how long they took.
template <class T>
void write_tables(OutputFolder& folder, const FlatModel<T>& model, const Clusters& clusters, const RunReport& report) {
  folder.add("assignments.tsv").write(assignments_tsv(all_assignments(model.items, clusters)));
  folder.add("topics.tsv").write(topics_tsv(report.topics));
  OutputFile& file = folder.add("model.safetensors");
  write_model(file, model, report.settings);
  file.finish();
}

// The topics or the JSON object to stdout; then, where the eye ends up, the summary to stderr.
void show(const FactorRunOptions& options, const NmfOptions& nmf, const RunReport& report, Terminal& terminal) {
  terminal.clear();
  if (options.output.json) {
    print_data(to_json(report));
  } else if (options.output.folder.empty() || !options.output.quiet) {
    print_data(topics_table(report.topics, ::isatty(STDOUT_FILENO) != 0 ? terminal_width() : 0));
  }
  for (const std::string& note : report.notes) terminal.say("note: " + note);
  terminal.say(outcome(report, options.dc ? "dc" : name_of(solver_choices(), nmf.solver)));
  if (report.measures) terminal.say(measures_line(*report.measures));
  say_end(report, options.output, terminal);
}

template <class T>
int run(const FactorRunOptions& options) {
  Terminal terminal(options.output.quiet);
  const auto folder = open_folder(options.output, options.input.path);
  const Stopwatch whole;
  NmfOptions nmf = options.nmf;
  Seconds seconds;
  MatrixInput<T> input;
  NmfResult<T> result;
  with_threads(options.machine.threads, &interruption(), [&] {
    input = load<T>(options.input, options.machine, nmf.rank, terminal, seconds);
    const Stopwatch watch;
    set_sparse_weights(options, input.data, nmf);
    result = solve(options, input, nmf, terminal);
    seconds.solve = watch.seconds();
  });
  // From here on an interruption changes nothing: what was found is kept.
  with_threads(options.machine.threads, nullptr, [&] {
    const Stopwatch watch;
    RunReport report = make_report(options, nmf, result);
    report.seconds = seconds;
    report.nonzeros = input.data.nonzeros();
    report.notes = input.notes;
    FlatModel<T> model{std::move(result.w), std::move(result.h), std::move(result.baseline), take_items(input)};
    const bool page = folder != nullptr && options.output.page;
    if (model.items.is_text()) add_document_facts(input.data, page ? input.documents.source.get() : nullptr, model);
    const Clusters clusters = cluster_items(model.h);
    describe(model, clusters, options.top, report);
    if (folder != nullptr) write_tables(*folder, model, clusters, report);
    if (page) add_page(*folder, view_of(model), model.items, report);
    report.seconds.write = watch.seconds();
    report.seconds.total = whole.seconds();
    report.peak_memory_bytes = peak_memory();
    if (folder != nullptr) {
      folder->add("result.json").write(to_json(report));
      folder->commit();
    }
    show(options, nmf, report, terminal);
  });
  return interrupted_exit_code();
}

}  // namespace

std::unique_ptr<OutputFolder> open_folder(const OutputOptions& options, const std::string& input) {
  if (options.folder.empty()) return nullptr;
  // The documents of a demo are part of a result: replacing it would take them away.
  std::error_code missing;
  const std::filesystem::path inside = std::filesystem::path(options.folder) / std::filesystem::path(input).filename();
  if (std::filesystem::equivalent(inside, input, missing)) {
    throw OutputError(fmt::format("cannot write into the folder {}: {} is read from there; name another folder.",
                                  options.folder, input));
  }
  return std::make_unique<OutputFolder>(options.folder, options.force);
}

int run_factor(const FactorRunOptions& options) {
  return options.machine.precision == Precision::single ? run<float>(options) : run<double>(options);
}

}  // namespace copse
