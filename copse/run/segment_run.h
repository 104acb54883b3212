// One run of `copse segment`: from a picture in a file to its segments.
#pragma once

#include <string>
#include <vector>

#include "copse/base/events.h"
#include "copse/base/stopwatch.h"
#include "copse/describe/segment_result.h"
#include "copse/image/segment.h"
#include "copse/io/picture.h"
#include "copse/options/option.h"

namespace copse {

struct SegmentRunOptions {
  std::string path;          // the picture
  Index segments = 0;        // to show; 0: choose_segmentation() finds how many
  Index pixels = 240 * 160;  // a larger picture is scaled down to so many [Kuang 2014, section 3.8.2]
  SegmentOptions segment = {};
  double memory_limit = 0;  // bytes; 0: what the machine has to spare
};

template <>
const OptionRows& rows<SegmentRunOptions>();

// Throws InputError, InvalidArgument, and Cancelled if there is no result yet. An interruption or options.segment's
// time limit gives what is found by then.
SegmentResult run_segment(const SegmentRunOptions& options, const RunEvents& events = {});
// The same for a picture in memory; options.path is its name.
SegmentResult run_segment(const SegmentRunOptions& options, Picture picture, const RunEvents& events = {});

}  // namespace copse
