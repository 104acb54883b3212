// A picture in memory: three bytes a pixel, and pictures whose pixels are whole numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// Rows from the top, pixels from the left.
struct Picture {
  Index width = 0;
  Index height = 0;
  std::vector<std::uint8_t> rgb = {};  // red, green and blue of each pixel, as sRGB has them

  Index pixels() const { return width * height; }
  std::span<const std::uint8_t> pixel(Index p) const {
    return std::span(rgb).subspan(3 * static_cast<std::size_t>(p), 3);
  }
  std::span<std::uint8_t> pixel(Index p) { return std::span(rgb).subspan(3 * static_cast<std::size_t>(p), 3); }

  friend bool operator==(const Picture&, const Picture&) = default;
};

// One whole number a pixel: the segment that it belongs to, or how strong a boundary is.
struct LabelPicture {
  Index width = 0;
  Index height = 0;
  std::vector<Index> labels = {};

  Index pixels() const { return width * height; }

  friend bool operator==(const LabelPicture&, const LabelPicture&) = default;
};

}  // namespace copse
