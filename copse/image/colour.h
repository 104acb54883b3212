// Pictures as planes of numbers: sizes, colours as people see them.
#pragma once

#include <vector>

#include "copse/base/shape.h"
#include "copse/io/picture.h"

namespace copse {

using Plane = std::vector<float>;  // one number a pixel

// L* (0 to 100), a* and b* of the CIE 1976, for sRGB and its white point D65.
struct LabPlanes {
  PixelShape shape;
  Plane l, a, b;
};
LabPlanes lab_of(const Picture& picture);

// The largest shape of the same proportions with at most so many pixels; never larger than the shape itself, and at
// least one pixel wide and high.
PixelShape shape_within(PixelShape shape, Index most_pixels);

// Every pixel is the mean of the area that it covers. Only to a shape that is not larger.
Picture scaled_down(const Picture& picture, PixelShape shape);

}  // namespace copse
