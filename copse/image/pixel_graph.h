// The graph of the pixels of a picture: each is joined to those in a disk around it, the weaker the stronger the
// boundary between them [Kuang 2014, section 3.8].
#pragma once

#include "copse/base/shape.h"
#include "copse/image/colour.h"
#include "copse/matrix/sparse.h"

namespace copse {

struct PixelGraphOptions {
  Index radius = 20;   // [Kuang 2014, section 3.8.2], for 240 x 160 pixels
  double scale = 0.1;  // s in exp(-strongest / s)
};

// Entries that the graph will have: known before any memory is taken.
Index pixel_graph_entries(PixelShape shape, Index radius);

// a_ij = exp(-m / scale), where m is the largest boundary strength on the line between pixels i and j, both ends
// included ("intervening contour", [Fowlkes & Malik 2004]). Symmetric bit for bit, no diagonal. Throws InvalidArgument
// for a radius below 1 or a scale that is not positive.
SparseMatrix<float> pixel_graph(const Plane& strength, PixelShape shape, const PixelGraphOptions& options = {});

// A = D^-1/2 E D^-1/2 in place, [Kuang 2014, eq. 30]. Returns the degrees D.
std::vector<double> normalize_graph(SparseMatrix<float>& graph);

}  // namespace copse
