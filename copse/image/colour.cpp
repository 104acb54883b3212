#include "copse/image/colour.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index pixels_per_block = 4096;
constexpr Index colour_rows_per_block = 16;

std::array<float, 256> linear_light() {
  std::array<float, 256> table;
  for (std::size_t v = 0; v < 256; ++v) {
    const double s = static_cast<double>(v) / 255;
    table[v] = static_cast<float>(s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4));
  }
  return table;
}

float lab_root(float t) {
  constexpr float knee = 216.0F / 24389;
  return t > knee ? std::cbrt(t) : (24389.0F / 27 * t + 16) / 116;
}

// What pixel i of `to` pixels in a row covers of `from` pixels.
struct Cover {
  Index begin, end;
  std::vector<double> weight = {};
};

std::vector<Cover> covers(Index from, Index to) {
  std::vector<Cover> all;
  const double step = static_cast<double>(from) / static_cast<double>(to);
  for (Index i = 0; i < to; ++i) {
    const double low = static_cast<double>(i) * step, high = low + step;
    Cover cover{.begin = static_cast<Index>(low), .end = std::min(from, static_cast<Index>(std::ceil(high - 1e-9)))};
    for (Index p = cover.begin; p < cover.end; ++p)
      cover.weight.push_back(std::min(high, static_cast<double>(p + 1)) - std::max(low, static_cast<double>(p)));
    all.push_back(std::move(cover));
  }
  return all;
}

}  // namespace

LabPlanes lab_of(const Picture& picture) {
  static const std::array<float, 256> light = linear_light();
  const auto n = static_cast<std::size_t>(picture.pixels());
  LabPlanes planes{{picture.width, picture.height}, Plane(n), Plane(n), Plane(n)};
  parallel_blocks(picture.pixels(), pixels_per_block, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      const auto pixel = picture.pixel(p);
      const float r = light[pixel[0]], g = light[pixel[1]], b = light[pixel[2]];
      const float x = lab_root((0.4124564F * r + 0.3575761F * g + 0.1804375F * b) / 0.95047F);
      const float y = lab_root(0.2126729F * r + 0.7151522F * g + 0.0721750F * b);
      const float z = lab_root((0.0193339F * r + 0.1191920F * g + 0.9503041F * b) / 1.08883F);
      planes.l[p] = 116 * y - 16;
      planes.a[p] = 500 * (x - y);
      planes.b[p] = 200 * (y - z);
    }
  });
  return planes;
}

PixelShape shape_within(PixelShape shape, Index most_pixels) {
  if (shape.pixels() <= most_pixels) return shape;
  const double scale = std::sqrt(static_cast<double>(most_pixels) / static_cast<double>(shape.pixels()));
  const auto side = [&](Index length) {
    return std::max<Index>(1, static_cast<Index>(std::floor(static_cast<double>(length) * scale + 0.25)));
  };
  PixelShape within{side(shape.width), side(shape.height)};
  // A long strip keeps one pixel of its short side; the long one gives way.
  within.width = std::min(within.width, std::max<Index>(1, most_pixels / within.height));
  within.height = std::min(within.height, std::max<Index>(1, most_pixels / within.width));
  return within;
}

Picture scaled_down(const Picture& picture, PixelShape shape) {
  assert(shape.width <= picture.width && shape.height <= picture.height);
  if (shape == PixelShape{picture.width, picture.height}) return picture;
  const std::vector<Cover> columns = covers(picture.width, shape.width), rows = covers(picture.height, shape.height);
  Picture small{.width = shape.width, .height = shape.height};
  small.rgb.resize(3 * static_cast<std::size_t>(shape.pixels()));
  parallel_blocks(shape.height, colour_rows_per_block, [&](Index begin, Index end) {
    for (Index y = begin; y < end; ++y) {
      for (Index x = 0; x < shape.width; ++x) {
        double sum[3] = {}, area = 0;
        for (Index v = rows[y].begin; v < rows[y].end; ++v) {
          for (Index u = columns[x].begin; u < columns[x].end; ++u) {
            const double weight = rows[y].weight[v - rows[y].begin] * columns[x].weight[u - columns[x].begin];
            const auto pixel = picture.pixel(v * picture.width + u);
            for (std::size_t c = 0; c < 3; ++c) sum[c] += weight * pixel[c];
            area += weight;
          }
        }
        const auto out = small.pixel(y * shape.width + x);
        for (std::size_t c = 0; c < 3; ++c) out[c] = static_cast<std::uint8_t>(std::lround(sum[c] / area));
      }
    }
  });
  return small;
}

}  // namespace copse
