#include "copse/graph/new_edges.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "copse/base/parallel.h"
#include "copse/kernels/in_memory.h"

namespace copse {
namespace {

constexpr Index new_edges_items_per_block = 64;

template <class T>
std::vector<double> squared_norms(const Dataset<T>& data) {
  std::vector<double> norms(static_cast<std::size_t>(data.items()), 0.0);
  for (Index j = 0; j < data.items(); ++j) {
    visit_nonzeros(data, j,
                   [&](Index, T value) { norms[j] += static_cast<double>(value) * static_cast<double>(value); });
  }
  return norms;
}

}  // namespace

template <class T>
SparseMatrix<T> edges_to_nearest(const Dataset<T>& known, const Dataset<T>& items, const SimilarityOptions& options) {
  const Index nodes = known.items(), count = items.items();
  const Index kept = std::min(nodes, options.neighbours > 0 ? options.neighbours : default_neighbours(nodes));
  const bool cosine = options.kind == Similarity::cosine;
  const bool tuned = options.kind == Similarity::self_tuning;
  const Index wanted = std::min(nodes, tuned ? std::max(kept, options.scale_neighbour) : kept);
  const auto data = in_memory(known);
  const std::vector<double> known_norms = squared_norms(known), norms = squared_norms(items);
  SparseMatrix<T> result{.rows = nodes, .cols = count};
  for (Index begin = 0; begin < count; begin += new_edges_items_per_block) {
    const Index width = std::min(new_edges_items_per_block, count - begin);
    Matrix<T> block(known.features(), width), products;
    for (Index j = 0; j < width; ++j)
      visit_nonzeros(items, begin + j, [&](Index feature, T value) { block(feature, j) = value; });
    data->transpose_times(block, products);  // nodes x width
    std::vector<std::vector<std::pair<Index, T>>> columns(static_cast<std::size_t>(width));
    parallel_for(width, [&](Index j) {
      // Closer is larger: the cosine, or less squared distance.
      std::vector<std::pair<double, Index>> closeness;
      const double norm = norms[begin + j];
      for (Index i = 0; i < nodes; ++i) {
        const auto product = static_cast<double>(products(i, j));
        if (cosine) {
          const double lengths = std::sqrt(norm) * std::sqrt(known_norms[i]);
          if (product > 0 && lengths > 0) closeness.emplace_back(std::min(1.0, product / lengths), -i);
        } else {
          closeness.emplace_back(-std::max(0.0, norm + known_norms[i] - 2 * product), -i);
        }
      }
      const auto some = std::min<std::size_t>(static_cast<std::size_t>(wanted), closeness.size());
      std::ranges::partial_sort(closeness, closeness.begin() + static_cast<std::ptrdiff_t>(some), std::greater<>());
      double scale = options.sigma * options.sigma;
      if (tuned) {
        const auto last = std::min<std::size_t>(some, static_cast<std::size_t>(options.scale_neighbour));
        scale = last == 0 ? 0 : -closeness[last - 1].first;
      }
      for (std::size_t c = 0; c < std::min(some, static_cast<std::size_t>(kept)); ++c) {
        const auto [value, minus] = closeness[c];
        const double weight = cosine ? value : value == 0 ? 1 : std::exp(scale > 0 ? value / scale : value);
        if (static_cast<T>(weight) > T(0)) columns[j].emplace_back(-minus, static_cast<T>(weight));
      }
      std::ranges::sort(columns[j]);
    });
    for (const auto& column : columns) {
      for (const auto& [row, value] : column) {
        result.indices.push_back(static_cast<RowIndex>(row));
        result.values.push_back(value);
      }
      result.offsets.push_back(result.nonzeros());
    }
  }
  return result;
}

template <class T>
std::vector<StrongestLabel> strongest_labels(std::span<const Index> labels, const SparseMatrix<T>& weights) {
  std::vector<StrongestLabel> found;
  std::vector<double> held(labels.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(labels)) + 1);
  for (Index j = 0; j < weights.cols; ++j) {
    std::ranges::fill(held, 0.0);
    double sum = 0;
    for (Index p = weights.offsets[j]; p < weights.offsets[j + 1]; ++p) {
      held[labels[weights.indices[p]]] += static_cast<double>(weights.values[p]);
      sum += static_cast<double>(weights.values[p]);
    }
    const auto most = std::ranges::max_element(held);
    found.push_back(sum > 0 ? StrongestLabel{most - held.begin(), *most / sum} : StrongestLabel{});
  }
  return found;
}

#define COPSE_INSTANTIATE(T)                                                                                 \
  template SparseMatrix<T> edges_to_nearest(const Dataset<T>&, const Dataset<T>&, const SimilarityOptions&); \
  template std::vector<StrongestLabel> strongest_labels(std::span<const Index>, const SparseMatrix<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
