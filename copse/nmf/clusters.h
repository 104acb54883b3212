// From the factor of the items to hard clusters.
#pragma once

#include <vector>

#include "copse/matrix/dense.h"

namespace copse {

struct Clusters {
  std::vector<Index> labels;    // per item: 0 ... k - 1, or -1 for an item whose entries are all zero
  std::vector<double> weights;  // per item: its largest entry
  std::vector<Index> sizes;     // per cluster
  Index without_cluster = 0;    // items labelled -1
};

// Item j belongs to the component with the largest entry in row j of h (H', cols x k); the first of equal ones.
template <class T>
Clusters cluster_items(const Matrix<T>& h);

}  // namespace copse
