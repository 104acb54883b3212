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

}  // namespace copse
