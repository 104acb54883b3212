// How items that were not in a fit find their clusters: their weights, given what the fit found.
#pragma once

#include <span>

#include "copse/cluster/place_by.h"
#include "copse/matrix/data.h"

namespace copse {

// What a flat fit leaves to place items by.
template <class T>
struct Places {
  PlaceBy by = PlaceBy::least_squares;
  const Matrix<T>& w;                    // features x k
  std::span<const T> baseline = {};      // of least squares: w0, or none
  std::span<const double> penalty = {};  // of least squares; see NmfResult
  std::span<const double> prior = {};    // of the topics, for PlaceBy::topic_shares
};

// Items x k. The largest weight of an item tells its cluster; a row of zeros says that nothing does.
template <class T>
Matrix<T> weights_at(const Data<T>& x, const Places<T>& places);

}  // namespace copse
