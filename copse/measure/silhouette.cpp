#include "copse/measure/silhouette.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {

template <class T>
double mean_silhouette(const Dataset<T>& items, std::span<const Index> labels) {
  const Index n = items.items();
  if (static_cast<Index>(labels.size()) != n) throw InvalidArgument("there must be one label for each item");
  const Index k = n == 0 ? 0 : std::max<Index>(0, *std::ranges::max_element(labels) + 1);
  const bool cosine = items.is_sparse();
  // Row i of the sums has feature i of every cluster, so that one item reads whole rows.
  Matrix<double> sums(items.features(), k);
  std::vector<double> counts(static_cast<std::size_t>(k), 0.0), squares(static_cast<std::size_t>(k), 0.0);
  std::vector<double> square(static_cast<std::size_t>(n), 0.0);
  for (Index j = 0; j < n; ++j) {
    visit_nonzeros(items, j,
                   [&](Index, T value) { square[j] += static_cast<double>(value) * static_cast<double>(value); });
    if (labels[j] < 0) continue;
    const double by = !cosine ? 1 : square[j] > 0 ? 1 / std::sqrt(square[j]) : 0;
    counts[labels[j]] += 1;
    squares[labels[j]] += square[j];
    visit_nonzeros(items, j, [&](Index i, T value) { sums(i, labels[j]) += by * static_cast<double>(value); });
  }
  if (std::ranges::count_if(counts, [](double count) { return count > 0; }) < 2) return 0;
  double counted = 0;
  for (const double count : counts) counted += count;
  const double total = sum_blocks(n, Index(256), 0.0, [&](Index begin, Index end) {
    double sum = 0;
    std::vector<double> products(static_cast<std::size_t>(k));
    for (Index j = begin; j < end; ++j) {
      const Index own = labels[j];
      if (own < 0 || counts[own] < 2) continue;
      std::ranges::fill(products, 0.0);
      const double by = !cosine ? 1 : square[j] > 0 ? 1 / std::sqrt(square[j]) : 0;
      visit_nonzeros(items, j, [&](Index i, T value) {
        const double x = by * static_cast<double>(value);
        const double* row = sums.row(i).data();
        for (Index c = 0; c < k; ++c) products[c] += x * row[c];
      });
      // The sum of the distances to all of a cluster, the item itself among them at distance 0.
      const double self = cosine && square[j] > 0 ? 1 : 0;
      const auto distances = [&](Index c) {
        if (cosine) return counts[c] - products[c];
        return counts[c] * square[j] - 2 * products[c] + squares[c];
      };
      // To itself an item of zeros is no nearer than to others.
      const double own_sum = cosine ? distances(own) - (1 - self) : distances(own);
      const double a = std::max(0.0, own_sum) / (counts[own] - 1);
      double b = std::numeric_limits<double>::infinity();
      for (Index c = 0; c < k; ++c) {
        if (c != own && counts[c] > 0) b = std::min(b, std::max(0.0, distances(c)) / counts[c]);
      }
      if (std::max(a, b) > 0) sum += (b - a) / std::max(a, b);
    }
    return sum;
  });
  return total / counted;
}

template double mean_silhouette(const Dataset<float>&, std::span<const Index>);
template double mean_silhouette(const Dataset<double>&, std::span<const Index>);

}  // namespace copse
