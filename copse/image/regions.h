// Connected pieces of segments, and what becomes of the small ones.
#pragma once

#include <span>
#include <vector>

#include "copse/base/shape.h"
#include "copse/image/colour.h"

namespace copse {

// Labels 0, 1, ... in the order of the first pixel of each; returns how many there are.
Index number_by_first_pixel(std::vector<Index>& labels);

// Labels of the pieces that are connected by edges, in the order of their first pixels.
std::vector<Index> connected_pieces(std::span<const Index> labels, PixelShape shape);

// Pieces with fewer than `least` pixels, or with fewer than half of that away from their border (strips along a
// boundary), join the neighbouring piece with the weakest boundary between them (mean strength of the pixels on both
// sides; of equal ones the lowest label), the smallest first. Labels are numbered anew.
std::vector<Index> absorb_small(std::span<const Index> labels, PixelShape shape, const Plane& strength, Index least);

// How alike two neighbouring parts are: the lower, the sooner they become one.
//   (mean strength between them + colour_weight * distance of their mean colours) * (share of the smaller)^size_power
struct MergeOptions {
  double colour_weight = 0.004;  // per unit of CIE 1976 colour distance
  double size_power = 0.1;       // above 0: small parts join others sooner
};

// Partitions of the n segments of `labels` (0 ... n - 1) into 2, 3, ... n parts: from n on, each time the two
// neighbours that are most alike become one (of equal ones those with the lowest labels; parts that touch no other come
// last). Without colours, boundaries and sizes alone count. Entry s of a partition is the part of segment s.
std::vector<std::vector<Index>> nested_merges(std::span<const Index> labels, PixelShape shape, const Plane& strength,
                                              const LabPlanes* colours = nullptr, const MergeOptions& options = {});

// Labels of a larger picture with smooth outlines: the label with most weight under a quadratic spline around the place
// in the smaller one.
std::vector<Index> scaled_up(const std::vector<Index>& labels, PixelShape from, PixelShape to);

}  // namespace copse
