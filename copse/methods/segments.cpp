// Segments of a picture by clustering the graph of its pixels [Kuang 2014, section 3.8].
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "copse/image/segment.h"
#include "copse/methods/options.h"
#include "copse/methods/registration.h"
#include "copse/methods/runs.h"

namespace copse {
namespace {

// The level with the number of segments nearest to k; k = 0: whose boundaries are strong.
template <class T>
MethodResult<T> fit(const MethodData<T>& data, const MethodOptions& options, const SegmentOptions& own) {
  const PixelLines& picture = *data.picture;
  SegmentOptions segmenting = own;
  segmenting.seed = options.seed;
  segmenting.time_limit = options.time_limit;
  segmenting.superpixels = std::max(own.superpixels, options.k);
  int steps = 0;
  if (options.progress) segmenting.progress = [&](const std::string&) { return options.progress({++steps, 0, 0}); };
  Segmentations all = segment(picture.strength, picture.lines, picture.shape, segmenting, picture.colours);
  const auto away = [&](const Segmentation& level) { return std::abs(level.segments - options.k); };
  const std::size_t chosen =
      options.k > 0 ? static_cast<std::size_t>(std::ranges::min_element(all.levels, {}, away) - all.levels.begin())
                    : choose_segmentation(all, picture.strength, segmenting.edge_cost);
  MethodResult<T> result;
  result.k = all.levels[chosen].segments;
  result.labels = std::move(all.levels[chosen].labels);
  result.objective = all.relative_error;
  result.iterations = all.iterations;
  result.stop_reason = all.stop_reason;
  return result;
}

}  // namespace

const Method& registered::segments() {
  static const Method method = with_fit(
      {.name = "segments",
       .meaning = "parts of a picture, from the graph of its pixels",
       .command = "segment",
       .by_default = true,
       .traits =
           {.reads = Reads::picture, .gives = Gives::segments, .chooses_k = true, .compared = Compared::when_named},
       .cost =
           [](const Workload& work, const MethodOptions& options) {
             const auto side = static_cast<Index>(std::ceil(std::sqrt(work.items)));
             const auto& own = own_options<SegmentOptions>(options);
             return Cost{segment_memory({side, side}, own), work.items * static_cast<double>(own.rank)};
           }},
      SegmentOptions{}, rows<SegmentOptions>(),
      []<class T>(const MethodData<T>& data, const MethodOptions& options, const SegmentOptions& own) {
        return fit(data, options, own);
      });
  return method;
}

}  // namespace copse
