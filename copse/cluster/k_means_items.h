// Items as K-means sees them.
#pragma once

#include <vector>

#include "copse/cluster/item_rows.h"

namespace copse {

// x_j is factor[j] times what is stored. Euclidean: a power of two, so that no square
// leaves the range; spherical: 1 / |x_j|.
template <class T>
struct KMeansItems {
  ItemRows<T> rows;
  bool spherical = false;
  std::vector<double> factor = {};  // 0 for an item that takes no part
  std::vector<double> square = {};  // |x_j|^2
  int exponent = 0;                 // Euclidean: what is stored is x_j 2^exponent
  Index taking_part = 0;
  double total = 0;  // of the squares

  template <class Visit>
  void visit(Index j, const Visit& visit) const {
    const double by = factor[j];
    rows.visit(j, [&](Index i, T value) { visit(i, by * static_cast<double>(value)); });
  }
};

// Throws InvalidArgument for entries that are not finite.
template <class T>
KMeansItems<T> k_means_items(const ItemRows<T>& rows, bool spherical);

// Dense items less their mean: scores compare products with squares, and what all items share would drown both.
template <class T>
Matrix<T> without_mean(const Matrix<T>& items, std::vector<double>& mean);

}  // namespace copse
