// How likely a pixel lies on a boundary: brightness, colour and texture on both sides of it, joined by a logistic model
// [Martin et al. 2004].
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "copse/image/colour.h"

namespace copse {

inline constexpr Index cue_orientations = 8;  // a boundary's direction is o pi / 8

// Differences between the two halves of a disk, each the chi-squared distance of two histograms, 0 to 1.
enum class Cue : std::size_t {
  fine_brightness,    // L*, radius 3
  coarse_brightness,  // L*, radius 6
  fine_colour,        // a* and b*, mean of both, radius 3
  coarse_colour,      // radius 6
  texture,            // what small gradients occur, radius 6
  coarse_texture,     // radius 10
  count
};
inline constexpr std::size_t cue_count = static_cast<std::size_t>(Cue::count);
using CueVector = std::array<float, cue_count>;

struct BoundaryCues {
  PixelShape shape;
  std::vector<CueVector> values;  // per pixel and orientation

  const CueVector& at(Index pixel, Index orientation) const {
    return values[static_cast<std::size_t>(pixel * cue_orientations + orientation)];
  }
};

// Pixels beyond the border do not count: a half without any has no difference.
BoundaryCues boundary_cues(const LabPlanes& planes);

// P(boundary) = 1 / (1 + exp(-(bias + weights' cues))).
struct BoundaryModel {
  double bias = 0;
  std::array<double, cue_count> weights = {};
};

// Fitted by bench/fit_boundary.py --every 8 to 25 training pictures of the BSDS500, none of which is a test picture.
const BoundaryModel& fitted_boundary_model();

// (P - P0) / (1 - P0) for the largest probability P over the orientations, where P0 is that of a place without any
// difference: nothing there is 0.
struct BoundaryStrength {
  PixelShape shape;
  Plane strength;                         // 0 to 1
  std::vector<std::uint8_t> orientation;  // where it is largest
};
BoundaryStrength boundary_strength(const BoundaryCues& cues, const BoundaryModel& model);

// Zero where a neighbour across the boundary is stronger: lines of about one pixel.
Plane ridges(const BoundaryStrength& boundary);

}  // namespace copse
