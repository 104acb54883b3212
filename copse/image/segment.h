// Segments of a picture by clustering the graph of its pixels [Kuang 2014, section 3.8].
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "copse/graph/symnmf.h"
#include "copse/image/colour.h"
#include "copse/image/pixel_graph.h"

namespace copse {

enum class SegmentMethod {
  embed,    // SymNMF-Embed: rows of B to superpixels, and these to nested segmentations
  clust,    // SymNMF-Clust: the largest entry of each row of B, for k = 2, 3, ...
  spectral  // Spectral-Embed: as embed, with eigenvectors in place of B
};

// How superpixels become nested segmentations.
enum class SegmentHierarchy {
  merge,  // the two neighbours that are most alike become one, again and again (regions.h)
  split   // normalized cuts of their graph, again and again [Kuang 2014, section 3.8.1]
};

struct SegmentOptions {
  SegmentMethod method = SegmentMethod::embed;
  SegmentHierarchy hierarchy = SegmentHierarchy::merge;  // of embed and spectral
  Index rank = 16;                                       // columns of B, eigenvectors, or the largest k of clust
  Index superpixels = 51;  // K-means clusters of the embedding; nested segmentations have 2 ... of them
  PixelGraphOptions graph = {};
  double smallest = 0.001;  // share of the pixels below which a connected piece joins a neighbour
  double edge_cost = 0.4;   // t in choose_segmentation()
  std::uint64_t seed = 0;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds; what is found by then is the result
  std::function<bool(const std::string&)> progress = {};        // what is done now; false asks to stop
};

struct Segmentation {
  Index segments = 0;
  std::vector<Index> labels = {};  // per pixel: 0, 1, ... in the order of the first pixel of each
};

struct Segmentations {
  PixelShape shape;
  std::vector<Segmentation> levels;  // with more and more segments; at least one
  bool nested = false;               // each one splits a segment of the one before
  Index entries = 0;                 // of the graph
  int iterations = 0;                // of SymNMF on the largest graph, all k together
  double relative_error = 0;         // of the last factorization
  StopReason stop_reason = StopReason::converged;
};

// Bytes that the graph and the factors will take at most.
double segment_memory(PixelShape shape, const SegmentOptions& options);

// `strength`: how likely each pixel lies on a boundary, 0 to 1; `lines`: the same where it is locally strongest, and 0
// elsewhere, which is what parts pixels in the graph; `colours`: for merges, null: without. A picture of one pixel, or
// without any line, is one segment. Throws InvalidArgument for bad options, Cancelled where it was stopped before it
// had a segmentation.
Segmentations segment(const Plane& strength, const Plane& lines, PixelShape shape, const SegmentOptions& options,
                      const LabPlanes* colours = nullptr);

// Which level to show: the largest sum of strength - t over the edges between pixels of different segments, where the
// strength of an edge is the largest within a pixel of it: a boundary pays where it is stronger than t on average.
std::size_t choose_segmentation(const Segmentations& all, const Plane& strength, double t);

}  // namespace copse
