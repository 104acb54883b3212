#include "copse/describe/segment_result.h"

#include "copse/image/regions.h"
#include "copse/measure/boundaries.h"

namespace copse {

std::vector<double> boundary_map(const Segmentations& all, PixelShape shape) {
  const auto n = static_cast<std::size_t>(shape.pixels());
  std::vector<double> map(n, 0.0);
  for (const Segmentation& level : all.levels) {
    const Mask mask = boundaries_between(scaled_up(level.labels, all.shape, shape), shape);
    for (std::size_t p = 0; p < n; ++p) map[p] += mask[p];
  }
  for (double& value : map) value /= static_cast<double>(all.levels.size());
  return map;
}

}  // namespace copse
