#include "apps/copse/terminal/show_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "apps/copse/terminal/words.h"
#include "copse/model/result_file.h"
#include "copse/report/page.h"
#include "copse/report/result_page.h"
#include "copse/report/segment_report.h"

namespace copse {
namespace {

// One line a segment, the largest first.
std::string segments_table(const SegmentSummary& summary) {
  std::vector<std::size_t> order(summary.segments.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t s) { return summary.segments[s].pixels; });
  std::string text = fmt::format("{:>7}  {:>10}  {:>6}  {:<7}  {}\n", "segment", "pixels", "share", "colour", "centre");
  const auto all = static_cast<double>(std::max<Index>(1, summary.shape.pixels()));
  for (const std::size_t s : order) {
    const SegmentFacts& segment = summary.segments[s];
    text +=
        fmt::format("{:>7}  {:>10}  {:>5.1f}%  #{:02x}{:02x}{:02x}  {:.0f}, {:.0f}\n", s, counted(segment.pixels),
                    100 * static_cast<double>(segment.pixels) / all, static_cast<int>(segment.red + 0.5),
                    static_cast<int>(segment.green + 0.5), static_cast<int>(segment.blue + 0.5), segment.x, segment.y);
  }
  return text;
}

std::string levels_line(const SegmentSummary& summary) {
  return fmt::format("{} of a picture of {} x {} pixels; {} found, with {} to {} segments",
                     counted(static_cast<Index>(summary.segments.size()), "segment"), summary.shape.width,
                     summary.shape.height, counted(static_cast<Index>(summary.levels.size()), "segmentation"),
                     std::ranges::min(summary.levels), std::ranges::max(summary.levels));
}

}  // namespace

void show(const SegmentResult& result, const OutputOptions& output, Terminal& terminal) {
  const RunReport& report = result.report;
  terminal.clear();
  if (output.json) {
    print_data(segment_json(result));
  } else if (output.folder.empty() || !output.quiet) {
    print_data(segments_table(result.summary));
  }
  for (const std::string& note : report.notes) terminal.say("note: " + note);
  if (report.stop_reason == StopReason::time_limit) terminal.say("out of time: this is what was found by then.");
  if (report.stop_reason == StopReason::interrupted) terminal.say("interrupted: this is what was found by then.");
  terminal.say(levels_line(result.summary));
  std::vector<std::string> steps;
  for (const auto& [name, took] : steps_of(report.seconds)) steps.push_back(fmt::format("{} {}", name, took));
  terminal.say(fmt::format("time: {}; {} in all; peak memory {}", joined(steps, ", "), in_seconds(report.seconds.total),
                           in_bytes(static_cast<double>(report.peak_memory_bytes))));
  if (output.folder.empty()) return;
  terminal.say("written: " + output.folder);
  if (page_is_built() && output.page) terminal.say("page: " + output.folder + "/report.html");
}

std::string show_segments(const StoredResult& stored, bool json) {
  if (!json) {
    const SegmentSummary summary = read_segment_summary(stored);
    return segments_table(summary) + levels_line(summary) + "\n";
  }
  const Input input = open_in_result(stored.folder, "result.json");
  return {input.bytes().data(), input.bytes().size()};
}

}  // namespace copse
