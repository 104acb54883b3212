#include "apps/copse/commands/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/show_run.h"
#include "copse/base/error.h"
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

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes and shows a result; from here on an interruption changes nothing.
template <class Result>
void finish(Result& result, OutputFolder* folder, const OutputOptions& output, Terminal& terminal) {
  if (folder != nullptr) {
    write_result(*folder, result, output.page);
  } else {
    close_report(result.clock, result.report);
  }
  show(result, output, terminal);
}

}  // namespace

int run_flat_command(FlatRunOptions options, const OutputOptions& output, const MachineOptions& machine) {
  Terminal terminal(output.quiet);
  const auto folder = open_folder(output, options.input.path);
  options.memory_limit = machine.memory_limit;
  options.keep_texts = folder != nullptr && output.page;
  FactorProgress progress(terminal, options.nmf);
  options.nmf.progress = [&](const Iteration& iteration) {
    progress(iteration);
    return !interruption().requested();
  };
  with_precision(machine.precision, [&]<class T> {
    FlatResult<T> result;
    with_threads(machine.threads, &interruption(), [&] { result = run_flat<T>(options, events_of(terminal)); });
    with_threads(machine.threads, nullptr, [&] { finish(result, folder.get(), output, terminal); });
  });
  return interrupted_exit_code();
}

int run_tree_command(TreeRunOptions options, const OutputOptions& output, const MachineOptions& machine,
                     SplitLogUse log) {
  OutputOptions replacing = output;
  replacing.force |= log == SplitLogUse::resume;  // the tree of an interrupted run gives way to the whole one
  const auto folder = open_folder(replacing, options.input.path);
  if (folder != nullptr && log != SplitLogUse::none)
    options.split_log = output.folder + std::string(partial_mark) + "splits";
  options.resume = log == SplitLogUse::resume;
  Terminal terminal(output.quiet);
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
  Terminal terminal(output.quiet);
  options.memory_limit = machine.memory_limit;
  options.keep_texts = folder != nullptr && output.page;
  options.tree.progress = [&](const TreeProgress& progress) {
    terminal.show(fmt::format("splitting: {} of {} leaves ...", progress.leaves, progress.wanted));
    return true;
  };
  with_precision(machine.precision, [&]<class T> {
    TreeResult<T> result;
    with_threads(machine.threads, &interruption(), [&] { result = run_tree<T>(options, events_of(terminal)); });
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
  const std::filesystem::path kept = std::filesystem::path(output.folder) / "survey.runs";
  if (!output.folder.empty()) {
    // Beside the folder while the survey goes on, so that a kill loses one run; in it when it is done.
    options.run_log = output.folder + std::string(partial_mark) + "runs";
    if (options.resume && !std::filesystem::exists(options.run_log) && std::filesystem::exists(kept))
      std::filesystem::copy_file(kept, options.run_log);
  }
  options.flat.memory_limit = machine.memory_limit;
  options.flat.keep_texts = folder != nullptr && output.page;
  with_precision(machine.precision, [&]<class T> {
    FlatResult<T> result;
    with_threads(machine.threads, &interruption(), [&] { result = run_choose<T>(options, events_of(terminal)); });
    if (is_worker) {
      terminal.say(fmt::format("worker {} of {}: {} of {} runs are there; the same command with --resume instead of "
                               "--worker makes the verdict.",
                               options.worker, options.workers, result.report.survey->done,
                               result.report.survey->planned));
      return;
    }
    with_threads(machine.threads, nullptr, [&] {
      if (folder != nullptr) folder->add("survey.runs").write(bytes_of(options.run_log));
      finish(result, folder.get(), output, terminal);
    });
  });
  std::error_code ignored;
  if (folder != nullptr) {
    std::filesystem::remove(options.run_log, ignored);
    for (int worker = 1; std::filesystem::remove(worker_run_log(options.run_log, worker), ignored);) ++worker;
  }
  return interrupted_exit_code();
}

}  // namespace copse
