#include "apps/copse/commands/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/copse/commands/run_cluster.h"
#include "apps/copse/commands/run_graph_tree.h"
#include "apps/copse/processes.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/show_graph.h"
#include "apps/copse/terminal/show_run.h"
#include "apps/copse/terminal/spelling.h"
#include "copse/base/error.h"
#include "copse/io/descriptor.h"
#include "copse/io/log_files.h"
#include "copse/model/record_log.h"
#include "copse/report/write_result.h"

namespace copse {
namespace {

// The folder of the result, found fit for writing before the work starts; null if there is to be none. The file that is
// read may not lie in it. Throws OutputError.
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

// What stops the work in the middle. Of several processes none may leave alone: they agree on it between iterations.
const Cancellation* own_interruption() { return processes() == nullptr ? &interruption() : nullptr; }

// A file of the result with the bytes of another file.
void add_copy(OutputFolder& folder, std::string_view name, const std::string& from) {
  const Descriptor source = open_to_read(from);
  OutputFile& file = folder.add(name);
  std::vector<char> piece(std::size_t{1} << 20);
  while (const std::size_t count = read_some(source, piece, from)) file.write(piece.data(), count);
}

// Writes and shows a result; from here on an interruption changes nothing.
template <class Result>
void finish(Result& result, OutputFolder* folder, const OutputOptions& output, Terminal& terminal) {
  for (std::string& note : result.report.notes) note = spelled(note);
  if (result.report.survey) {
    std::string& verdict = result.report.survey->verdict.sentence;
    verdict = spelled(verdict);
  }
  if (folder != nullptr) {
    write_result(*folder, result, output.page);
  } else {
    close_report(result.clock, result.report);
  }
  show(result, output, terminal);
}

}  // namespace

int run_flat_command(FlatRunOptions options, const OutputOptions& output, const MachineOptions& machine) {
  Terminal terminal(output.quiet || !is_first_process());
  const auto folder = is_first_process() ? open_folder(output, options.input.path) : nullptr;
  options.team = processes();
  options.keep_texts = folder != nullptr && output.page;
  FactorProgress progress(terminal, options.nmf);
  options.nmf.progress = [&](const Iteration& iteration) {
    progress(iteration);
    return !interruption().requested();
  };
  with_precision(machine.precision, [&]<class T> {
    FlatResult result;
    with_threads(machine.threads, own_interruption(), [&] { result = run_flat<T>(options, events_of(terminal)); });
    if (!is_first_process()) return;
    with_threads(machine.threads, nullptr, [&] { finish(result, folder.get(), output, terminal); });
  });
  return interrupted_exit_code();
}

int run_graph_command(GraphRunOptions options, const OutputOptions& output, const MachineOptions& machine) {
  Terminal terminal(output.quiet);
  const auto folder = open_folder(output, options.input.items.path);
  const GraphClusterOptions& cluster = options.cluster;
  FactorProgress progress(
      terminal, {.runs = cluster.runs, .max_iterations = cluster.max_iterations, .time_limit = cluster.time_limit});
  options.cluster.progress = [&](const SymIteration& step) {
    progress({step.number, step.relative_error, step.projected_gradient_ratio, step.seconds});
    return !interruption().requested();
  };
  with_precision(machine.precision, [&]<class T> {
    GraphResult result;
    with_threads(machine.threads, &interruption(), [&] { result = run_graph<T>(options, events_of(terminal)); });
    with_threads(machine.threads, nullptr, [&] { finish(result, folder.get(), output, terminal); });
  });
  return interrupted_exit_code();
}

int run_cluster_command(ClusterRunOptions options, const OutputOptions& output, const MachineOptions& machine) {
  Terminal terminal(output.quiet);
  const auto folder = open_folder(output, options.input.items.path);
  options.keep_texts = folder != nullptr && output.page;
  options.method.progress = [&](const MethodIteration& step) {
    terminal.show(step.objective == 0 ? fmt::format("step {} ...", step.number)
                                      : fmt::format("iteration {}: objective {:.6g} ...", step.number, step.objective));
    return !interruption().requested();
  };
  const auto run = [&](auto& result, const auto& work) {
    with_threads(machine.threads, &interruption(), [&] { result = work(); });
    with_threads(machine.threads, nullptr, [&] { finish(result, folder.get(), output, terminal); });
  };
  with_precision(machine.precision, [&]<class T> {
    if (options.is_graph) {
      GraphResult result;
      run(result, [&] { return run_cluster_graph<T>(options, events_of(terminal)); });
    } else {
      FlatResult result;
      run(result, [&] { return run_cluster<T>(options, events_of(terminal)); });
    }
  });
  return interrupted_exit_code();
}

int run_graph_tree_command(GraphTreeRunOptions options, const OutputOptions& output, const MachineOptions& machine) {
  Terminal terminal(output.quiet);
  const auto folder = open_folder(output, options.input.items.path);
  options.tree.tree.progress = [&](const TreeProgress& progress) {
    terminal.show(fmt::format("splitting: {} of {} leaves ...", progress.leaves, progress.wanted));
    return true;
  };
  with_precision(machine.precision, [&]<class T> {
    TreeResult result;
    with_threads(machine.threads, &interruption(), [&] { result = run_graph_tree<T>(options, events_of(terminal)); });
    with_threads(machine.threads, nullptr, [&] { finish(result, folder.get(), output, terminal); });
  });
  return interrupted_exit_code();
}

int run_tree_command(TreeRunOptions options, const OutputOptions& output, const MachineOptions& machine,
                     SplitLogUse log) {
  OutputOptions replacing = output;
  replacing.force |= log == SplitLogUse::resume;  // the tree of an interrupted run gives way to the whole one
  const auto folder = is_first_process() ? open_folder(replacing, options.input.path) : nullptr;
  if (folder != nullptr && log != SplitLogUse::none) {  // of several processes the first keeps it
    options.split_log = folder->path() / split_log_file;
    folder->keep(split_log_file);
  }
  options.resume = log == SplitLogUse::resume;
  Terminal terminal(output.quiet || !is_first_process());
  const auto say_resume = [&] {
    if (!options.split_log.empty())
      terminal.say("the finished splits are kept: the same command with --resume continues from there.");
  };
  int code = 0;
  try {
    code = run_tree_command(options, output, machine, folder.get());
  } catch (const Cancelled&) {
    say_resume();
    throw;
  } catch (const OutputError&) {  // a full disk, for example
    say_resume();
    throw;
  }
  if (interruption().requested()) {
    say_resume();
    return code;
  }
  std::error_code ignored;
  if (!options.split_log.empty()) std::filesystem::remove(options.split_log, ignored);
  return code;
}

int run_tree_command(TreeRunOptions options, const OutputOptions& output, const MachineOptions& machine,
                     OutputFolder* folder) {
  Terminal terminal(output.quiet || !is_first_process());
  options.team = processes();
  options.keep_texts = folder != nullptr && output.page;
  options.tree.progress = [&](const TreeProgress& progress) {
    terminal.show(fmt::format("splitting: {} of {} leaves ...", progress.leaves, progress.wanted));
    return processes() == nullptr || !interruption().requested();
  };
  with_precision(machine.precision, [&]<class T> {
    TreeResult result;
    with_threads(machine.threads, own_interruption(), [&] { result = run_tree<T>(options, events_of(terminal)); });
    if (!is_first_process()) return;
    with_threads(machine.threads, nullptr, [&] { finish(result, folder, output, terminal); });
  });
  return interrupted_exit_code();
}

int run_choose_command(ChooseRunOptions options, const OutputOptions& output, const MachineOptions& machine) {
  Terminal terminal(output.quiet);
  const bool is_worker = options.workers > 0;
  OutputOptions replacing = output;
  replacing.force |= options.resume;
  const auto folder = is_worker ? nullptr : open_folder(replacing, options.flat.input.path);
  if (!output.folder.empty()) {
    const std::filesystem::path place = output.folder;
    options.run_log = place / run_log_file;
    options.worker_logs = output.folder + std::string(partial_mark) + "runs-";
  }
  options.flat.keep_texts = folder != nullptr && output.page;
  with_precision(machine.precision, [&]<class T> {
    ChooseResult result;
    with_threads(machine.threads, &interruption(), [&] { result = run_choose<T>(options, events_of(terminal)); });
    if (is_worker) {
      const SurveyReport& survey = *std::get<FlatResult>(result).report.survey;
      terminal.say(
          fmt::format("worker {} of {}: {} of {} runs are there; the same command with --resume instead of "
                      "--worker makes the verdict.",
                      options.worker, options.workers, survey.done, survey.planned));
      return;
    }
    if (folder != nullptr) add_copy(*folder, survey_runs_file, options.run_log);
    with_threads(machine.threads, nullptr,
                 [&] { std::visit([&](auto& kind) { finish(kind, folder.get(), output, terminal); }, result); });
  });
  // Those of workers that are still at work stay.
  for (int worker = 1; folder != nullptr && std::filesystem::exists(worker_log(options, worker)); ++worker)
    remove_records(worker_log(options, worker));
  return interrupted_exit_code();
}

}  // namespace copse
