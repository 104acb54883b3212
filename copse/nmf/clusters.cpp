#include "copse/nmf/clusters.h"

#include <algorithm>

namespace copse {

template <class T>
Clusters cluster_items(const Matrix<T>& h) {
  Clusters clusters;
  clusters.sizes.resize(static_cast<std::size_t>(h.cols()));
  for (Index j = 0; j < h.rows(); ++j) {
    const auto entries = h.row(j);
    const auto largest = std::max_element(entries.begin(), entries.end());
    const bool none = largest == entries.end() || !(*largest > T(0));
    clusters.labels.push_back(none ? -1 : largest - entries.begin());
    clusters.weights.push_back(none ? 0 : static_cast<double>(*largest));
    ++(none ? clusters.without_cluster : clusters.sizes[static_cast<std::size_t>(clusters.labels.back())]);
  }
  return clusters;
}

template Clusters cluster_items(const Matrix<float>&);
template Clusters cluster_items(const Matrix<double>&);

template <class T>
BestTwo best_two(std::span<const T> coefficients) {
  BestTwo best;
  double sum = 0, first = 0, second = 0;
  for (std::size_t c = 0; c < coefficients.size(); ++c) {
    const auto value = static_cast<double>(coefficients[c]);
    sum += value;
    if (value > first) {
      best.second = best.first;
      second = first;
      best.first = static_cast<Index>(c);
      first = value;
    } else if (value > second) {
      best.second = static_cast<Index>(c);
      second = value;
    }
  }
  if (sum > 0) {
    best.first_share = first / sum;
    best.second_share = second / sum;
  }
  return best;
}

template BestTwo best_two(std::span<const float>);
template BestTwo best_two(std::span<const double>);

}  // namespace copse
