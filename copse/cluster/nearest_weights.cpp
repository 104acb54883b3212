#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/parallel.h"
#include "copse/cluster/k_means.h"
#include "copse/matrix/more_of_data.h"

namespace copse {
namespace {

constexpr Index nearest_items_per_block = 256;
constexpr double no_distance = std::numeric_limits<double>::infinity();

}  // namespace

template <class T>
Matrix<T> nearest_weights(const Data<T>& x, const Matrix<T>& w, PlaceBy by) {
  const Index n = x.cols(), k = w.cols();
  const bool angle = by == PlaceBy::angle;
  const bool unit = by == PlaceBy::unit_distance;
  std::vector<double> squares(static_cast<std::size_t>(n), 0.0), centres(static_cast<std::size_t>(k), 0.0);
  visit_blocks(x, [&](Index first, const SparseView<T>& block) {
    for (Index j = 0; j < block.cols; ++j) {
      for (Index p = block.offsets[j]; p < block.offsets[j + 1]; ++p) {
        const double value = static_cast<double>(block.values[p]);
        squares[first + j] += value * value;
      }
    }
  });
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index c = 0; c < k; ++c) centres[c] += static_cast<double>(w(i, c)) * static_cast<double>(w(i, c));
  }
  Matrix<T> weights;
  if (k == 0 || n == 0) return Matrix<T>(n, k);
  x.transpose_times(w, weights);
  parallel_blocks(n, nearest_items_per_block, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const std::span<T> row = weights.row(j);
      if ((angle || unit) && !(squares[j] > 0)) {
        std::fill(row.begin(), row.end(), T(0));
        continue;
      }
      Index first = -1, second = -1;
      double nearest = no_distance, next = no_distance;
      for (Index c = 0; c < k; ++c) {
        const double product = static_cast<double>(row[c]);
        const double lengths = std::sqrt(squares[j]) * std::sqrt(centres[c]);
        const double square = angle  ? 2 - 2 * (lengths > 0 ? product / lengths : 0)
                              : unit ? 1 - 2 * product / std::sqrt(squares[j]) + centres[c]
                                     : squares[j] - 2 * product + centres[c];
        if (square < nearest) {
          next = nearest, second = first;
          nearest = square, first = c;
        } else if (square < next) {
          next = square, second = c;
        }
      }
      std::fill(row.begin(), row.end(), T(0));
      const double d1 = std::sqrt(std::max(0.0, nearest)), d2 = second < 0 ? 1 : std::sqrt(std::max(0.0, next));
      const double share = second < 0 ? 1 : d1 + d2 > 0 ? d2 / (d1 + d2) : 0.5;
      row[first] = static_cast<T>(share);
      if (second < 0) continue;
      row[second] = T(1) - row[first];
      if (second < first && !(row[first] > row[second])) row[second] = std::nextafter(row[first], T(0));
    }
  });
  return weights;
}

template Matrix<float> nearest_weights(const Data<float>&, const Matrix<float>&, PlaceBy);
template Matrix<double> nearest_weights(const Data<double>&, const Matrix<double>&, PlaceBy);

}  // namespace copse
