#include "copse/choose/gap.h"

#include <cmath>
#include <map>

#include "copse/base/parallel.h"

namespace copse {

template <class T>
PairDistances euclidean_distances(const Dataset<T>& data, std::span<const Index> items) {
  const auto n = static_cast<Index>(items.size());
  PairDistances result{n, std::vector<double>(static_cast<std::size_t>(n < 2 ? 0 : n * (n - 1) / 2))};
  parallel_for(n, [&](Index a) {
    std::vector<double> own(static_cast<std::size_t>(data.features()));
    double square = 0;
    visit_nonzeros(data, items[a], [&](Index i, T value) {
      own[i] = static_cast<double>(value);
      square += own[i] * own[i];
    });
    for (Index b = a + 1; b < n; ++b) {
      // (x - y)^2 over the entries of y, and x^2 over the rest.
      double distance = square;
      visit_nonzeros(data, items[b], [&](Index i, T value) {
        const double y = static_cast<double>(value);
        distance += y * (y - 2 * own[i]);
      });
      result(a, b) = std::sqrt(std::max(0.0, distance));
    }
  });
  return result;
}

double within_variation(const PairDistances& distances, std::span<const Index> labels) {
  std::map<Index, double> size, sum;
  for (Index a = 0; a < distances.items; ++a) {
    if (labels[a] < 0) continue;
    ++size[labels[a]];
    double& total = sum[labels[a]];
    for (Index b = a + 1; b < distances.items; ++b) {
      if (labels[b] == labels[a]) total += distances(a, b);
    }
  }
  double variation = 0;
  for (const auto& [label, total] : sum) variation += total / size[label];
  return variation;
}

template PairDistances euclidean_distances(const Dataset<float>&, std::span<const Index>);
template PairDistances euclidean_distances(const Dataset<double>&, std::span<const Index>);

}  // namespace copse
