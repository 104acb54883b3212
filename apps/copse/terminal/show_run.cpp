#include "apps/copse/terminal/show_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/copse/terminal/harmless.h"
#include "apps/copse/terminal/show_survey.h"
#include "apps/copse/terminal/words.h"
#include "copse/methods/choices.h"
#include "copse/model/result_json.h"
#include "copse/model/survey_text.h"
#include "copse/report/page.h"
#include "copse/report/result_page.h"
#include "copse/tree/ids.h"

namespace copse {
namespace {

// Columns that a table on stdout may have; 0: no limit.
std::size_t table_width() { return ::isatty(STDOUT_FILENO) != 0 ? terminal_width() : 0; }

// The last lines: how long each step took that took place, how much memory, and where the files are.
std::vector<std::string> last_lines(const RunReport& report, const OutputOptions& output) {
  std::vector<std::string> steps;
  for (const auto& [name, took] : steps_of(report.seconds)) steps.push_back(fmt::format("{} {}", name, took));
  std::vector<std::string> lines = {fmt::format("time: {}; {} in all; peak memory {}", joined(steps, ", "),
                                                in_seconds(report.seconds.total),
                                                in_bytes(static_cast<double>(report.peak_memory_bytes)))};
  if (output.folder.empty()) return lines;
  lines.push_back("written: " + output.folder);
  if (page_is_built() && output.page) lines.push_back("page: " + output.folder + "/report.html");
  return lines;
}

std::vector<std::string> notes_of(const RunReport& report) {
  std::vector<std::string> lines;
  for (const std::string& note : report.notes) lines.push_back("note: " + note);
  return lines;
}

template <class Table>
void show_all(const RunReport& report, const OutputOptions& output, const std::vector<std::string>& lines,
              Terminal& terminal, const Table& table) {
  terminal.clear();
  if (output.json) {
    print_json(to_json(report));
  } else if (output.folder.empty() || !output.quiet) {
    std::string survey;
    if (report.survey) survey = survey_table(*report.survey) + "\n" + report.survey->verdict.sentence + "\n\n";
    const std::string persistence = harmless(persistence_sentence(report));
    print_table(survey + table() + (persistence.empty() ? "" : "\n" + persistence + "\n"));
  }
  for (const std::string& line : lines) terminal.say(line);
}

// On a terminal that is too narrow, without what stands in brackets at the end.
std::string on_one_row(std::string line) {
  if (terminal_height() > 0 && rows_of(line) > 1) line.resize(std::min(line.size(), line.find("  (")));
  return line;
}

void append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

}  // namespace

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
  // Other methods have an objective of their own.
  if (report.objective) {
    std::string line = fmt::format("{}: {}, {}", solver, end, in_seconds(report.seconds.solve));
    if (*report.objective != 0) line += fmt::format("; objective {:.6g}", *report.objective);
    if (report.run_objectives.size() > 1) {
      const auto [least, most] = std::ranges::minmax(report.run_objectives);
      line += fmt::format(" (best of {} runs: {:.6g} to {:.6g})", report.run_objectives.size(), least, most);
    }
    return line;
  }
  const bool by_divergence = text_setting(report.settings, "loss") == name_of(Loss::kullback_leibler);
  std::string line = fmt::format("{}: {}, {}; relative {} {:.5f}", solver, end, in_seconds(report.seconds.solve),
                                 by_divergence ? "divergence" : "error", report.relative_error);
  if (report.run_errors.size() > 1) {
    const auto [least, most] = std::minmax_element(report.run_errors.begin(), report.run_errors.end());
    line += fmt::format(" ({} {} runs: {:.5f} to {:.5f})", report.consensus ? "alone the" : "best of",
                        report.run_errors.size(), *least, *most);
  }
  return line;
}

void show_end(const RunReport& report, const OutputOptions& output, const std::vector<std::string>& lines,
              Terminal& terminal, const std::function<std::string(std::size_t)>& table) {
  std::vector<std::string> all = notes_of(report);
  append(all, lines);
  if (report.measures) all.push_back(measures_line(*report.measures));
  append(all, last_lines(report, output));
  show_all(report, output, all, terminal, [&] { return table(table_width()); });
}

OutlineTableOptions screen_for(bool all, std::size_t other_rows) {
  constexpr std::size_t fewest = 5;
  OutlineTableOptions options{.width = table_width()};
  const std::size_t height = terminal_height();
  options.bars = height > 0 && utf8_output();
  if (height > 0 && !all) options.lines = std::max(fewest, height - std::min(height, other_rows + 1));
  return options;
}

void show(const FlatResult& result, const OutputOptions& output, Terminal& terminal) {
  const RunReport& report = result.report;
  const std::string method = text_setting(report.settings, "method");
  show_end(report, output, {outcome(report, method.empty() ? text_setting(report.settings, "solver") : method)},
           terminal, [&](std::size_t width) { return topics_table(report.topics, width); });
}

void show(const TreeResult& result, const OutputOptions& output, Terminal& terminal) {
  const RunReport& report = result.report;
  std::vector<std::string> lines = notes_of(report);
  if (!result.explanation.empty()) lines.push_back("note: " + result.explanation);
  const Index leaves = result.tree().leaves;
  const Index outliers = std::ranges::count_if(result.view.items, &TopicItem::outlier);
  const std::string none = counted(report.items_without_cluster);
  if (text_setting(report.settings, "graph").empty()) {
    lines.push_back(fmt::format("{}, {} set aside as outliers, {} without a topic", counted(leaves, "leaf node"),
                                counted(outliers, "item"), none));
  } else {
    lines.push_back(fmt::format("{} {}, {} set aside as outliers, {} without a community", counted(leaves),
                                leaves == 1 ? "community" : "communities", counted(outliers, "node"), none));
  }
  if (report.measures) lines.push_back(on_one_row(measures_line(*report.measures)));
  if (report.leaf_measures) lines.push_back(on_one_row("leaves: " + measures_line(*report.leaf_measures)));
  append(lines, last_lines(report, output));
  const std::vector<Index>& top = result.view.outline.children[0];
  if (!output.folder.empty() && !top.empty())
    lines.push_back(fmt::format("look closer: copse show {} --topic {}", output.folder,
                                short_id(result.view.nodes[top.front()].id)));
  std::size_t rows = rows_said() + 1;  // the command itself
  for (const std::string& line : lines) rows += rows_of(line);
  show_all(report, output, lines, terminal, [&] {
    OutlineTableOptions options = screen_for(output.all, rows);
    options.words = static_cast<std::size_t>(result.top);
    return outline_table(result.view, options);
  });
}

}  // namespace copse
