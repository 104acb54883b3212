// The size of a picture. Pixels are counted in rows from the top: pixel p = y width + x.
#pragma once

#include "copse/base/index.h"

namespace copse {

struct PixelShape {
  Index width = 0;
  Index height = 0;

  Index pixels() const { return width * height; }
  friend bool operator==(const PixelShape&, const PixelShape&) = default;
};

}  // namespace copse
