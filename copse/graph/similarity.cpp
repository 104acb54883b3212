#include "copse/graph/similarity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "copse/base/error.h"
#include "copse/graph/neighbours.h"

namespace copse {

Index default_neighbours(Index items) {
  if (items < 2) return 0;
  const Index floor_log2 = std::bit_width(static_cast<std::uint64_t>(items)) - 1;
  return std::min(floor_log2 + 1, items - 1);
}

template <class T>
Graph<T> similarity_graph(const Dataset<T>& items, const SimilarityOptions& options, SimilarityReport* report) {
  const Index n = items.items();
  if (options.neighbours < 0) throw InvalidArgument("the number of neighbours must not be negative");
  if (options.kind == Similarity::gaussian && !(options.sigma > 0 && std::isfinite(options.sigma)))
    throw InvalidArgument("a Gaussian similarity needs a sigma above zero");
  if (options.kind == Similarity::self_tuning && options.scale_neighbour < 1)
    throw InvalidArgument("the neighbour that sets the scale must be at least the first");
  const auto* dense = std::get_if<Matrix<T>>(&items.values);
  if (options.search == NeighbourSearch::approximate && dense == nullptr)
    throw InvalidArgument("neighbours of sparse items are looked for exactly only");
  if (options.recall_sample < 1) throw InvalidArgument("the recall needs a sample of at least one item");
  const bool approximate =
      options.search == NeighbourSearch::approximate ||
      (options.search == NeighbourSearch::automatic && dense != nullptr && n > options.exact_items);
  if (report != nullptr) *report = {};
  const Index kept = options.neighbours > 0 ? options.neighbours : default_neighbours(n);
  Graph<T> graph;
  if (n < 2) {
    graph = graph_from_edges<T>(n, {});
    graph.names = items.item_names;
    return graph;
  }
  const bool tuned = options.kind == Similarity::self_tuning;
  const Closeness closeness = options.kind == Similarity::cosine ? Closeness::cosine : Closeness::distance;
  const Index wanted = tuned ? std::max(kept, options.scale_neighbour) : kept;
  const auto nearest =
      approximate ? approximate_neighbours(*dense, wanted, closeness) : nearest_neighbours(items, wanted, closeness);
  if (report != nullptr && approximate)
    *report = {true, recall_of(items, nearest, kept, closeness, options.recall_sample)};
  std::vector<double> scale(static_cast<std::size_t>(n), options.sigma);
  if (tuned) {
    for (Index i = 0; i < n; ++i) {
      const auto last = std::min<std::size_t>(nearest[i].size(), static_cast<std::size_t>(options.scale_neighbour));
      scale[i] = last > 0 ? std::sqrt(nearest[i][last - 1].value) : 0;
    }
  }
  const auto weight = [&](Index i, const Neighbour& other) {
    if (options.kind == Similarity::cosine) return std::min(1.0, other.value);
    if (other.value == 0) return 1.0;
    return std::exp(-other.value / (scale[i] * scale[other.item]));
  };
  // Both directions give the same value; the edge is listed once, by the lower number if both keep it.
  std::vector<Edge> edges;
  const auto keeps = [&](Index i, Index j) {
    const auto end = nearest[i].begin() + std::min<std::ptrdiff_t>(kept, std::ssize(nearest[i]));
    return std::any_of(nearest[i].begin(), end, [&](const Neighbour& other) { return other.item == j; });
  };
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < std::min<Index>(kept, std::ssize(nearest[i])); ++c) {
      const Neighbour& other = nearest[i][c];
      if (other.item < i && keeps(other.item, i)) continue;
      edges.push_back({static_cast<RowIndex>(i), other.item, weight(i, other)});
    }
  }
  graph = graph_from_edges<T>(n, edges);
  graph.names = items.item_names;
  return graph;
}

template Graph<float> similarity_graph(const Dataset<float>&, const SimilarityOptions&, SimilarityReport*);
template Graph<double> similarity_graph(const Dataset<double>&, const SimilarityOptions&, SimilarityReport*);

}  // namespace copse
