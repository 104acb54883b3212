// Sums over the features of one item.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/matrix/dataset.h"

namespace copse {

// The sum of term(feature, value) over the entries of an item that are not zero.
template <class T, class Term>
double item_sum(const Dataset<T>& data, Index item, const Term& term) {
  double sum = 0;
  visit_nonzeros(data, item, [&](Index i, T value) { sum += term(i, value); });
  return sum;
}

// The 2-norm of an item is mantissa / scale. The scale is a power of two that keeps the squares within range, so it
// changes no bits of a quotient with the norm.
struct ItemNorm {
  double mantissa = 0;  // 0: the item is empty, or all of it below the normal numbers
  double scale = 1;

  double value() const { return mantissa / scale; }
};

template <class T>
ItemNorm item_norm(const Dataset<T>& data, Index item) {
  double largest = 0;
  visit_nonzeros(data, item,
                 [&](Index, T value) { largest = std::max(largest, std::abs(static_cast<double>(value))); });
  if (largest < std::numeric_limits<double>::min()) return {};
  const double scale = std::ldexp(1.0, -std::ilogb(largest));
  const double squares = item_sum(data, item, [&](Index, T value) {
    const double scaled = scale * static_cast<double>(value);
    return scaled * scaled;
  });
  return {.mantissa = std::sqrt(squares), .scale = scale};
}

}  // namespace copse
