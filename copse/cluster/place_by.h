// How items that were not in the fit find their cluster, given W (features x k).
#pragma once

namespace copse {

enum class PlaceBy {
  least_squares,  // largest coefficient of min |x - W h|, h >= 0
  divergence,     // the same for D(x | W h)
  angle,          // the column of W with the least angle
  distance,       // the nearest column of W
  unit_distance,  // the same for the item at unit length
  topic_shares    // p(topic | words), with the prior of the topics: lda.h
};

}  // namespace copse
