// Boundaries between segments against those that people drew: precision and recall with a tolerance, as the Berkeley
// benchmark defines them [Martin et al. 2004]. Pictures are rows from the top; pixel p = y width + x.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/base/index.h"
#include "copse/base/shape.h"

namespace copse {

using Mask = std::vector<std::uint8_t>;  // one per pixel: 0 or 1

// Pixels whose right, lower or lower right neighbour has another label: lines of one pixel.
Mask boundaries_between(std::span<const Index> labels, PixelShape shape);

// Lines of one pixel with the same connections, by the parallel thinning of [Guo & Hall 1989].
Mask thinned(Mask mask, PixelShape shape);

// For each pixel whether it has a partner. No pixel has two, partners are at most `tolerance` pixels apart, and no
// other choice pairs more of them (Hopcroft & Karp 1973).
struct BoundaryMatch {
  Mask found, truth;
  Index pairs = 0;
};
BoundaryMatch match_boundaries(const Mask& found, const Mask& truth, PixelShape shape, double tolerance);

// Counts of pixels. Those of several pictures are added up before precision and recall are taken.
struct BoundaryCounts {
  Index found = 0;          // pixels of the boundary that was found
  Index found_matched = 0;  // of these, near a boundary of any person
  Index truth = 0;          // pixels of the boundaries that people drew, all of them together
  Index truth_matched = 0;  // of these, near the boundary that was found

  double precision() const { return found > 0 ? static_cast<double>(found_matched) / static_cast<double>(found) : 0; }
  double recall() const { return truth > 0 ? static_cast<double>(truth_matched) / static_cast<double>(truth) : 0; }
  double f() const;  // 2 P R / (P + R); 0 where both are
  friend BoundaryCounts operator+(const BoundaryCounts& a, const BoundaryCounts& b);
  friend bool operator==(const BoundaryCounts&, const BoundaryCounts&) = default;
};

// The Berkeley benchmark's distance: this share of the diagonal.
inline constexpr double boundary_tolerance = 0.0075;

// One boundary against several people's. Throws InvalidArgument for masks of another size, or without any truth.
BoundaryCounts compare_boundaries(const Mask& found, std::span<const Mask> truths, PixelShape shape,
                                  double tolerance = boundary_tolerance);

struct BoundaryPoint {
  double threshold = 0;  // pixels at least this strong are the boundary, thinned
  BoundaryCounts counts;
};

// A map of strengths at every threshold, ascending. Where two thresholds give the same pixels, the work is done once.
std::vector<BoundaryPoint> boundary_curve(std::span<const double> strength, std::span<const Mask> truths,
                                          PixelShape shape, std::span<const double> thresholds,
                                          double tolerance = boundary_tolerance);

// The point with the best F; the first of equal ones. The curve must have a point.
const BoundaryPoint& best_point(std::span<const BoundaryPoint> curve);

}  // namespace copse
