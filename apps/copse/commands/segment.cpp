// copse segment: the segments of a picture.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/show_segments.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/base/error.h"
#include "copse/report/segment_report.h"
#include "copse/report/write_result.h"

namespace copse {
namespace {

constexpr const char* segment_description =
    "segments of a picture by symmetric NMF\n"
    "Joins every pixel to those within a radius, the weaker the stronger the boundary between them (brightness, colour "
    "and texture), and clusters that graph [Kuang 2014, section 3.8]. Reads PNG, JPEG and PPM. A picture with more "
    "than --pixels is scaled down for the work, and the labels are scaled back.\n\n"
    "Prints the segments with their sizes and colours. With -o it writes labels.png (16 bits) and labels.npy, "
    "overlay.png, segments.png, boundaries.png (how often a pixel lies on a boundary of the segmentations that were "
    "found), segmentations.npy (all of them, at the working size), result.json and report.html. Ctrl-C and "
    "--time-limit keep what is found by then.";

constexpr const char* segment_examples =
    "The segments of a photograph, with pictures to look at:\n"
    "  copse segment photo.jpg -o out\n"
    "Eight of them:\n"
    "  copse segment photo.jpg --segments 8 -o out\n"
    "The method that finds salient objects:\n"
    "  copse segment photo.jpg --method clust -o out\n"
    "Against what people drew:\n"
    "  copse evaluate out/labels.png person1.png person2.png";

int run(SegmentRunOptions options, const OutputOptions& output, const MachineOptions& machine) {
  Terminal terminal(output.quiet);
  std::unique_ptr<OutputFolder> folder;
  if (!output.folder.empty()) {
    std::error_code missing;
    const std::filesystem::path inside =
        std::filesystem::path(output.folder) / std::filesystem::path(options.path).filename();
    if (std::filesystem::equivalent(inside, options.path, missing)) {
      throw OutputError(fmt::format("cannot write into the folder {}: {} is read from there; name another folder.",
                                    output.folder, options.path));
    }
    folder = std::make_unique<OutputFolder>(output.folder, output.force);
  }
  options.segment.progress = [](const std::string&) { return !interruption().requested(); };
  SegmentResult result;
  with_threads(machine.threads, &interruption(), [&] { result = run_segment(options, events_of(terminal)); });
  with_threads(machine.threads, nullptr, [&] {
    if (folder != nullptr) {
      write_result(*folder, result, output.page);
    } else {
      close_report(result.clock, result.report);
    }
    show(result, output, terminal);
  });
  return interrupted_exit_code();
}

}  // namespace

void add_segment(Program& program) {
  auto call = std::make_shared<Call<SegmentRunOptions>>();
  OptionRows rows = copse::rows<SegmentRunOptions>();
  make_argument(row_of(rows, "picture"), "PICTURE");
  program
      .add("segment", segment_description, segment_examples,
           [call] { return run(call->options, call->output, call->machine); })
      .add(call->options, rows)
      .add(call->output, without(copse::rows<OutputOptions>(), {"all"}))
      .add(call->machine, only(copse::rows<MachineOptions>(), {"threads"}));
}

}  // namespace copse
