#include "copse/run/segment_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/version.h"
#include "copse/image/boundary_cue.h"
#include "copse/image/regions.h"
#include "copse/input/memory.h"
#include "copse/input/options.h"
#include "copse/io/read_image.h"
#include "copse/measure/boundaries.h"
#include "copse/methods/options.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

// A pixel of the picture that is read: its colours, and its label.
constexpr double bytes_per_pixel = 3 + sizeof(Index) + 4;
// At the working size: cues for all orientations, and planes.
constexpr double bytes_per_working_pixel = cue_orientations * sizeof(CueVector) + 120;

void check_memory_for(PixelShape shape, PixelShape working, const SegmentOptions& options, double memory_limit) {
  const double limit = memory_limit > 0 ? memory_limit : available_memory();
  const double needed = static_cast<double>(shape.pixels()) * bytes_per_pixel +
                        static_cast<double>(working.pixels()) * bytes_per_working_pixel +
                        segment_memory(working, options) + 30e6;
  if (needed <= limit) return;
  throw InputError(fmt::format(
      "this run needs about {} of memory, most of it for the graph of {}, and {} {}; fewer `pixels` or a smaller "
      "`radius` need less.",
      in_bytes(needed), counted(working.pixels(), "pixel"),
      memory_limit > 0 ? "`memory_limit` allows" : "the machine can spare", in_bytes(limit)));
}

// Room for as many segments as are wanted.
SegmentOptions with_room(SegmentOptions options, Index segments) {
  if (options.method == SegmentMethod::clust) {
    options.rank = std::max(options.rank, segments);
  } else {
    options.superpixels = std::max(options.superpixels, segments);
  }
  return options;
}

// The level with so many segments, or with the nearest number; the first of equal ones.
std::size_t level_with(const Segmentations& all, Index segments) {
  const auto distance = [&](const Segmentation& level) { return std::abs(level.segments - segments); };
  return static_cast<std::size_t>(
      std::min_element(all.levels.begin(), all.levels.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); }) -
      all.levels.begin());
}

std::vector<SegmentFacts> facts_of(const Picture& picture, const LabelPicture& labels, Index count) {
  // Colours come from the picture as it is kept, which may be smaller than the labels.
  std::vector<SegmentFacts> facts(static_cast<std::size_t>(count));
  for (Index p = 0; p < labels.pixels(); ++p) {
    SegmentFacts& segment = facts[labels.labels[p]];
    const Index x = p % labels.width, y = p / labels.width;
    const auto pixel =
        picture.pixel(y * picture.height / labels.height * picture.width + x * picture.width / labels.width);
    ++segment.pixels;
    segment.red += pixel[0];
    segment.green += pixel[1];
    segment.blue += pixel[2];
    segment.x += static_cast<double>(x);
    segment.y += static_cast<double>(y);
  }
  for (SegmentFacts& segment : facts) {
    const auto n = static_cast<double>(std::max<Index>(1, segment.pixels));
    for (double* sum : {&segment.red, &segment.green, &segment.blue, &segment.x, &segment.y}) *sum /= n;
  }
  return facts;
}

}  // namespace

template <>
const OptionRows& rows<SegmentRunOptions>() {
  static const OptionRows table = [] {
    using Of = SegmentRunOptions;
    RowsOf<Of> rows;
    rows.row("picture", &Of::path, "A PNG, JPEG or PPM file").as(OptionKind::file);
    rows.row("segments", &Of::segments, "How many to show")
        .within(2, 1000)
        .otherwise("as many as have strong boundaries");
    rows.row("pixels", &Of::pixels, "Scale a picture with more of them down to so many").within(16, 4'000'000);
    rows.headed(0, "Segments");
    rows.nest(&Of::segment);
    rows.row("memory_limit", &Of::memory_limit,
             "Memory to use at most, such as 8G; what cannot do with it does not start")
        .as(OptionKind::bytes)
        .otherwise("what the machine has to spare")
        .not_stored()
        .in("Machine");
    return rows.done();
  }();
  return table;
}

SegmentResult run_segment(const SegmentRunOptions& options, Picture picture, const RunEvents& events) {
  SegmentResult result;
  RunReport& report = result.report;
  const PixelShape shape{picture.width, picture.height}, working = shape_within(shape, options.pixels);
  result.summary.shape = shape;
  result.summary.working = working;
  const SegmentOptions segmenting = with_room(options.segment, options.segments);
  check_memory_for(shape, working, segmenting, options.memory_limit);
  if (working != shape) {
    report.notes.push_back(
        fmt::format("The picture of {} x {} pixels was segmented at {} x {}, and the labels scaled back.", shape.width,
                    shape.height, working.width, working.height));
  }
  const Stopwatch preparing;
  events.show("looking for boundaries ...");
  const LabPlanes colours = lab_of(scaled_down(picture, working));
  const BoundaryStrength boundary = boundary_strength(boundary_cues(colours), fitted_boundary_model());
  const Plane& strength = boundary.strength;
  report.seconds.prepare = preparing.seconds();
  const Stopwatch solving;
  SegmentOptions with_progress = segmenting;
  with_progress.progress = [&](const std::string& now) {
    events.show(now + " ...");
    return !options.segment.progress || options.segment.progress(now);
  };
  result.all = segment(strength, ridges(boundary), working, with_progress, &colours);
  report.seconds.solve = solving.seconds();
  uninterrupted([&] {
    result.chosen = options.segments > 0 ? level_with(result.all, options.segments)
                                         : choose_segmentation(result.all, strength, options.segment.edge_cost);
    const Segmentation& level = result.all.levels[result.chosen];
    if (options.segments > 0 && level.segments != options.segments) {
      report.notes.push_back(fmt::format("{} were asked for; the nearest that was found has {}.",
                                         counted(options.segments, "segment"), counted(level.segments)));
    }
    result.labels = {shape.width, shape.height, scaled_up(level.labels, working, shape)};
    const PixelShape view = shape_within(shape, most_view_pixels);
    result.picture = scaled_down(picture, view);
    if (view != shape)
      report.notes.push_back(fmt::format("the pictures to look at are {} x {} pixels.", view.width, view.height));
    result.summary.segments = facts_of(result.picture, result.labels, level.segments);
    for (const Segmentation& found : result.all.levels) result.summary.levels.push_back(found.segments);
    report.command = "segment";
    report.version = version();
    report.settings = run_settings(options, Precision::single);
    report.seed = options.segment.seed;
    report.threads = thread_count();
    report.k = level.segments;
    report.rows = report.cols = working.pixels();
    report.nonzeros = result.all.entries;
    report.iterations = result.all.iterations;
    report.relative_error = result.all.relative_error;
    report.stop_reason = result.all.stop_reason;
  });
  return result;
}

SegmentResult run_segment(const SegmentRunOptions& options, const RunEvents& events) {
  const Stopwatch reading;
  events.show("reading " + options.path + " ...");
  // The file is refused before its pixels are read where they do not fit.
  const double limit = options.memory_limit > 0 ? options.memory_limit : available_memory();
  ReadImageOptions image;
  image.most_pixels = std::min(image.most_pixels, static_cast<Index>(std::max(1.0, limit / bytes_per_pixel)));
  ReadImage read = read_image(options.path, image);
  const double seconds = reading.seconds();
  SegmentResult result = run_segment(options, std::move(read.picture), events);
  result.report.seconds.read = seconds;
  result.report.notes.insert(result.report.notes.begin(), read.notes.begin(), read.notes.end());
  return result;
}

}  // namespace copse
