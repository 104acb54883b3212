// Pictures: reading them, and their segments.
#include "copse/io/read_image.h"
#include "copse/methods/choices.h"
#include "copse/run/segment_run.h"
#include "python/src/bind.h"
#include "python/src/supervisor.h"

namespace copse::python {
namespace {

nb::object read_pixels(const std::string& path) {
  Picture picture = read_image(path).picture;
  const std::vector<std::size_t> shape = {static_cast<std::size_t>(picture.height),
                                          static_cast<std::size_t>(picture.width), 3};
  return to_numpy(std::move(picture.rgb), shape);
}

nb::object segment_pixels(const Array<std::uint8_t, 3>& pixels, Index segments, const std::string& method, Index rank,
                          Index superpixels, Index working_pixels, Index radius, std::uint64_t seed, int threads) {
  SegmentRunOptions options;
  options.segments = segments;
  options.pixels = working_pixels;
  options.segment.method = choice_of<SegmentMethod>("method", method);
  options.segment.rank = rank;
  options.segment.superpixels = superpixels;
  options.segment.graph.radius = radius;
  options.segment.seed = seed;
  Picture picture{static_cast<Index>(pixels.shape(1)),
                  static_cast<Index>(pixels.shape(0)),
                  {pixels.data(), pixels.data() + pixels.size()}};
  SegmentResult result;
  Supervisor().run(threads, [&] { result = run_segment(options, std::move(picture)); });
  return to_numpy(std::move(result.labels.labels), {pixels.shape(0), pixels.shape(1)});
}

}  // namespace

void bind_images(nb::module_& module) {
  using namespace nb::literals;
  module.def("read_picture", &read_pixels, "path"_a);
  module.def("segment_picture", &segment_pixels, "pixels"_a, "segments"_a, "method"_a, "rank"_a, "superpixels"_a,
             "working_pixels"_a, "radius"_a, "seed"_a, "threads"_a);
}

}  // namespace copse::python
