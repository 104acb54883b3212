#include "copse/cluster/k_means_items.h"

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index placed_items_per_block = 256;

}  // namespace

template <class T>
KMeansItems<T> k_means_items(const ItemRows<T>& rows, bool spherical) {
  KMeansItems<T> items{.rows = rows, .spherical = spherical};
  const Index n = rows.items();
  items.factor.resize(static_cast<std::size_t>(n));
  items.square.resize(static_cast<std::size_t>(n));
  std::vector<double> largest(static_cast<std::size_t>(n), 0.0);
  parallel_blocks(n, placed_items_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      rows.visit(j, [&](Index, T value) {
        if (!std::isfinite(value)) throw InvalidArgument("the data has entries that are not finite");
        largest[j] = std::max(largest[j], std::abs(static_cast<double>(value)));
      });
    }
  });
  const double most = n == 0 ? 0 : *std::max_element(largest.begin(), largest.end());
  items.exponent = most > 0 ? std::ilogb(most) : 0;
  parallel_blocks(n, placed_items_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const int exponent = !spherical ? items.exponent : largest[j] > 0 ? std::ilogb(largest[j]) : 0;
      double square = 0;
      rows.visit(j, [&](Index, T value) {
        const double scaled = std::ldexp(static_cast<double>(value), -exponent);
        square += scaled * scaled;
      });
      items.factor[j] = std::ldexp(1.0, -exponent);
      items.square[j] = square;
      if (!spherical) continue;
      items.factor[j] = square > 0 ? items.factor[j] / std::sqrt(square) : 0;
      items.square[j] = square > 0 ? 1 : 0;
    }
  });
  for (Index j = 0; j < n; ++j) {
    items.taking_part += items.factor[j] > 0;
    items.total += items.square[j];
  }
  return items;
}

template <class T>
Matrix<T> without_mean(const Matrix<T>& items, std::vector<double>& mean) {
  const Index n = items.rows(), m = items.cols();
  mean.assign(static_cast<std::size_t>(m), 0.0);
  parallel_blocks(m, 64, [&](Index begin, Index end) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = begin; i < end; ++i) mean[i] += static_cast<double>(items(j, i)) / static_cast<double>(n);
    }
  });
  Matrix<T> shifted;
  shifted.reshape(n, m);
  parallel_blocks(n, placed_items_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      for (Index i = 0; i < m; ++i) shifted(j, i) = static_cast<T>(static_cast<double>(items(j, i)) - mean[i]);
    }
  });
  return shifted;
}

#define COPSE_INSTANTIATE(T)                                       \
  template KMeansItems<T> k_means_items(const ItemRows<T>&, bool); \
  template Matrix<T> without_mean(const Matrix<T>&, std::vector<double>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
