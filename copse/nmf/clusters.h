// From the factor of the items to hard clusters.
#pragma once

#include <span>
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

// The two largest of an item's coefficients and their shares of all; the first of equal ones; -1 where there is none.
struct BestTwo {
  Index first = -1, second = -1;
  double first_share = 0, second_share = 0;
};
template <class T>
BestTwo best_two(std::span<const T> coefficients);
template <class T>
BestTwo best_two(std::span<T> coefficients) {
  return best_two(std::span<const T>(coefficients));
}

}  // namespace copse
