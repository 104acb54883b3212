// How items that were not in the fit find their cluster, given W (features x k).
#pragma once

namespace copse {

enum class PlaceBy {
  least_squares,  // largest coefficient of min |x - W h|, h >= 0
  divergence,     // the same for D(x | W h)
  angle,          // the column of W with the least angle
  distance        // the nearest column of W
};

}  // namespace copse
