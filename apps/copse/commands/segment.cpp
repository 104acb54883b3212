// copse segment: the segments of a picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>
#include <memory>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/show_segments.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
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

constexpr const char* segment_group = "Segments";

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
  options.memory_limit = machine.memory_limit;
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

void add_segment_options(CLI::App& command, SegmentRunOptions& options) {
  SegmentOptions& segment = options.segment;
  add_choice(command, "--method", segment.method,
             "embed: rows of the factor become superpixels, and these nested segmentations; clust: the factor's "
             "largest entries are the segments, for each k up to --rank; spectral: as "
             "embed, with eigenvectors in place of the factor")
      ->group(segment_group);
  add_choice(
      command, "--hierarchy", segment.hierarchy,
      "How superpixels become nested segmentations. merge: the two that are most alike by boundary, colour and size "
      "become one, again and again; split: normalized cuts, again and again, as in the thesis")
      ->group(segment_group);
  add_number(command, "--segments", options.segments, Index(2), Index(1000),
             "How many to show [as many as have strong boundaries]")
      ->group(segment_group);
  add_number(command, "--rank", segment.rank, Index(2), Index(200), "Columns of the factor, eigenvectors, or largest k")
      ->group(segment_group);
  add_number(command, "--superpixels", segment.superpixels, Index(2), Index(1000), "Of embed and spectral")
      ->group(segment_group);
  add_number(command, "--pixels", options.pixels, Index(16), Index(4'000'000),
             "Scale a picture with more of them down to so many")
      ->group(segment_group);
  add_number(command, "--radius", segment.graph.radius, Index(1), Index(100), "Of a pixel's neighbourhood")
      ->group(segment_group);
  add_number(command, "--scale", segment.graph.scale, 1e-3, 1e3,
             "s in the similarity exp(-b / s), where b is the strongest boundary between two pixels")
      ->group(segment_group);
  add_number(command, "--smallest", segment.smallest, 0.0, 1.0,
             "Share of the pixels below which a loose piece joins its neighbour")
      ->group(segment_group);
  add_number(command, "--edge-cost", segment.edge_cost, 0.0, 1.0,
             "Without --segments: a boundary pays where its mean strength is above this")
      ->group(segment_group);
  add_seed(command, segment.seed);
  command.get_option("--seed")->group(segment_group);
  add_amount(command, "--time-limit", segment.time_limit, parse_seconds, "TIME",
             "Stop after this time with what is found by then, such as 90s or 5m [none]")
      ->group(segment_group);
}

}  // namespace

void add_segment(Program& program) {
  auto options = std::make_shared<SegmentRunOptions>();
  auto output = std::make_shared<OutputOptions>();
  auto machine = std::make_shared<MachineOptions>();
  CLI::App& command =
      program.add("segment", segment_description, segment_examples, [=] { return run(*options, *output, *machine); });
  command.add_option("PICTURE", options->path, "A PNG, JPEG or PPM file")->type_name("FILE")->required();
  add_segment_options(command, *options);
  add_output_options(command, *output);
  add_threads(command, machine->threads);
  add_memory_limit(command, machine->memory_limit);
}

}  // namespace copse
