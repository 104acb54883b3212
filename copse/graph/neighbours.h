// The nearest items of every item, exactly, or nearly so for many dense items. Never more than a few rows of the n x n
// similarities are in memory.
#pragma once

#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

enum class Closeness {
  cosine,   // x'y / (|x| |y|), larger is closer; only items with a positive cosine are neighbours
  distance  // |x - y|^2, smaller is closer
};

struct Neighbour {
  RowIndex item = 0;
  double value = 0;  // the cosine or the squared distance, summed in double over ascending features

  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

// The `count` nearest items of each, itself not among them, nearest first; of equally near ones the lower number comes
// first. Fewer where there are fewer. Sums in single precision only choose candidates; their error is bounded, and
// whatever could be among the nearest is measured again in double. Throws InvalidArgument for a negative entry of
// sparse items or one that is not finite.
template <class T>
std::vector<std::vector<Neighbour>> nearest_neighbours(const Dataset<T>& items, Index count, Closeness closeness);

// Nearly the same for dense items, by a navigable small world graph (Malkov & Yashunin 2020, hnswlib): some neighbours
// are missed, and others stand in for them. It grows item by item on one thread, so that the result does not depend on
// the number of threads; values are measured in double.
template <class T>
std::vector<std::vector<Neighbour>> approximate_neighbours(const Matrix<T>& items, Index count, Closeness closeness);

// The share of the nearest items of `sample` items, evenly spread over all, that `found` has; 1 where there are none.
// An item that is as near as one of the nearest counts as one.
template <class T>
double recall_of(const Dataset<T>& items, const std::vector<std::vector<Neighbour>>& found, Index count,
                 Closeness closeness, Index sample);

}  // namespace copse
