// The segments of a picture and everything that is known about them.
#pragma once

#include <vector>

#include "copse/base/stopwatch.h"
#include "copse/image/segment.h"
#include "copse/io/picture.h"
#include "copse/model/run_report.h"

namespace copse {

struct SegmentFacts {
  Index pixels = 0;
  double red = 0, green = 0, blue = 0;  // means, 0 to 255
  double x = 0, y = 0;                  // centre, in pixels from the upper left corner
};

// What is left of a result in its folder: enough for `show` and the page.
struct SegmentSummary {
  PixelShape shape;                         // of the picture
  PixelShape working;                       // of what was segmented
  std::vector<Index> levels = {};           // segments of each segmentation that was found
  std::vector<SegmentFacts> segments = {};  // of the one that is shown, by label
};

struct SegmentResult {
  SegmentSummary summary;
  RunReport report;
  Segmentations all;       // at the working size
  std::size_t chosen = 0;  // the level that is shown
  LabelPicture labels;     // the same at the size of the picture: 0, 1, ...
  Picture picture;         // as it was read, or scaled down to most_view_pixels
  Stopwatch clock = {};    // since the run began
};

// Pictures to look at are not larger than this.
inline constexpr Index most_view_pixels = 1'000'000;

// How often each pixel of `shape` lies on a boundary of a segmentation, 0 to 1 [Kuang 2014, section 3.8.3].
std::vector<double> boundary_map(const Segmentations& all, PixelShape shape);

}  // namespace copse
