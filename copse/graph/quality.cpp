#include "copse/graph/quality.h"

#include <algorithm>

#include "copse/base/error.h"

namespace copse {

template <class T>
GraphQuality graph_quality(SparseView<T> a, std::span<const Index> labels) {
  if (static_cast<Index>(labels.size()) != a.cols)
    throw InvalidArgument("there are " + std::to_string(labels.size()) + " labels for " + std::to_string(a.cols) +
                          " nodes");
  const Index groups = labels.empty() ? 0 : std::max<Index>(0, *std::max_element(labels.begin(), labels.end()) + 1);
  std::vector<double> within(static_cast<std::size_t>(groups), 0.0), volume = within;
  double all = 0;
  for (Index j = 0; j < a.cols; ++j) {
    double degree = 0, own = 0;
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      const double weight = static_cast<double>(a.values[p]);
      degree += weight;
      if (labels[a.indices[p]] == labels[j]) own += weight;
    }
    all += degree;
    if (labels[j] < 0) continue;
    within[labels[j]] += own;
    volume[labels[j]] += degree;
  }
  GraphQuality quality;
  for (std::size_t c = 0; c < within.size(); ++c) {
    const double cut = volume[c] - within[c], smaller = std::min(volume[c], all - volume[c]);
    quality.conductance.push_back(smaller > 0 ? cut / smaller : 0);
    if (!(all > 0)) continue;
    quality.coverage += within[c] / all;
    quality.modularity += within[c] / all - (volume[c] / all) * (volume[c] / all);
    if (volume[c] > 0) quality.normalized_cut += cut / volume[c];
  }
  return quality;
}

template GraphQuality graph_quality(SparseView<float>, std::span<const Index>);
template GraphQuality graph_quality(SparseView<double>, std::span<const Index>);

}  // namespace copse
