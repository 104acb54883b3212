#include "apps/copse/terminal/show_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/copse/terminal/tables.h"
#include "apps/copse/terminal/words.h"
#include "copse/report/page.h"
#include "copse/report/result_json.h"
#include "copse/report/result_page.h"

namespace copse {
namespace {

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

// Columns that a table on stdout may have; 0: no limit.
std::size_t table_width() { return ::isatty(STDOUT_FILENO) != 0 ? terminal_width() : 0; }

// The last lines: how long each step took that took place, how much memory, and where the files are.
void say_end(const RunReport& report, const OutputOptions& output, Terminal& terminal) {
  std::vector<std::string> steps;
  for (const auto& [name, took] : steps_of(report.seconds)) steps.push_back(fmt::format("{} {}", name, took));
  terminal.say(fmt::format("time: {}; {} in all; peak memory {}", joined(steps, ", "), in_seconds(report.seconds.total),
                           in_bytes(static_cast<double>(report.peak_memory_bytes))));
  if (output.folder.empty()) return;
  terminal.say("written: " + output.folder);
  if (page_is_built() && output.page) terminal.say("page: " + output.folder + "/report.html");
}

template <class Table>
void show_data(const RunReport& report, const OutputOptions& output, Terminal& terminal, const Table& table) {
  terminal.clear();
  if (output.json) {
    print_data(to_json(report));
  } else if (output.folder.empty() || !output.quiet) {
    print_data(table());
  }
  for (const std::string& note : report.notes) terminal.say("note: " + note);
}

}  // namespace

template <class T>
void show(const FlatResult<T>& result, const OutputOptions& output, Terminal& terminal) {
  const RunReport& report = result.report;
  show_data(report, output, terminal, [&] { return topics_table(report.topics, table_width()); });
  terminal.say(outcome(report, text_setting(report.settings, "solver")));
  if (report.measures) terminal.say(measures_line(*report.measures));
  say_end(report, output, terminal);
}

template <class T>
void show(const TreeResult<T>& result, const OutputOptions& output, Terminal& terminal) {
  const RunReport& report = result.report;
  show_data(report, output, terminal, [&] { return tree_table(result, table_width()); });
  if (!result.explanation.empty()) terminal.say("note: " + result.explanation);
  terminal.say(fmt::format("{}, {} set aside as outliers, {} without a topic",
                           counted(result.tree().leaves, "leaf node"),
                           counted(std::ranges::count_if(result.view.items, &TopicItem::outlier), "item"),
                           counted(report.items_without_cluster)));
  if (report.measures) terminal.say(measures_line(*report.measures));
  if (report.leaf_measures) terminal.say("leaves of the splits: " + measures_line(*report.leaf_measures));
  say_end(report, output, terminal);
}

#define COPSE_INSTANTIATE(T)                                                 \
  template void show(const FlatResult<T>&, const OutputOptions&, Terminal&); \
  template void show(const TreeResult<T>&, const OutputOptions&, Terminal&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
