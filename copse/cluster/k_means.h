// K-means [Lloyd 1982] of items, Euclidean or spherical (Dhillon & Modha 2001): batches, then moves of single items by
// first variation (Dhillon, Guan & Kogan 2002), from centres that are spread out [Arthur & Vassilvitskii 2007].
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "copse/cluster/centre_start.h"
#include "copse/cluster/iteration.h"
#include "copse/cluster/place_by.h"
#include "copse/matrix/dataset.h"
#include "copse/nmf/nmf.h"

namespace copse {

struct KMeansOptions {
  Index clusters = 0;      // required: 1 <= clusters <= items
  bool spherical = false;  // items count by their direction only, and centres have unit length
  CentreStart start = CentreStart::plus_plus;
  bool online = true;        // after the batches; else a run ends when a batch moves nothing
  int runs = 1;              // starts to try; the one with the least objective is kept
  int max_iterations = 100;  // of a run: batches, and passes of single moves
  // A batch or pass that lowers the objective by less than this share of it ends its phase; 0: only one that moves
  // nothing does.
  double tolerance = 0;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, all runs together
  std::uint64_t seed = 0;
  std::function<bool(const MethodIteration&)> progress = {};  // once per batch or pass; false asks to stop
};

template <class T>
struct KMeansResult {
  // 0 ... k - 1. Every label occurs. There are fewer clusters than were asked for only where fewer items differ.
  // Spherical: -1 for an item of zeros, which has no direction.
  std::vector<Index> labels;
  Matrix<T> centres;     // features x k: means; spherical: of unit length, the direction of the sum of unit items
  double objective = 0;  // sum of |x - c|^2; spherical: sum of 1 - cos(x, c)
  std::vector<MethodIteration> history;
  std::vector<double> run_objectives;
  int best_run = 0;
  StopReason stop_reason = StopReason::converged;
};

// A cluster that a batch leaves without items takes the item that is farthest from its own centre, as long as that
// item is not alone. Sparse items stay sparse. Entries may be negative. Throws InvalidArgument for a bad option, or
// entries that are not finite, and Cancelled if stopped from outside before there is a result; after that the best so
// far comes back with StopReason::interrupted.
template <class T>
KMeansResult<T> k_means(const Dataset<T>& items, const KMeansOptions& options);

// From given centres, features x clusters: options.start and options.runs do not matter.
template <class T>
KMeansResult<T> k_means(const Dataset<T>& items, const KMeansOptions& options, const Matrix<T>& centres);

// The same for the rows of a matrix.
template <class T>
KMeansResult<T> k_means_rows(Matrix<T> rows, const KMeansOptions& options);

// Row j has the weights of item j for the two centres (columns of w) that are nearest to it: with their distances
// d1 <= d2, d2 / (d1 + d2) and d1 / (d1 + d2): 1 at a centre, a half midway. By angle distances are those of unit
// vectors, and by unit distance those of unit items; the row of an item of zeros is zero then. The first of equally
// near centres counts as nearer, and has the larger weight (by the last bit, where it comes to that).
template <class T>
Matrix<T> nearest_weights(const Data<T>& x, const Matrix<T>& w, PlaceBy by);

}  // namespace copse
