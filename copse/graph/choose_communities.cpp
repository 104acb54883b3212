#include "copse/graph/choose_communities.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/communities.h"
#include "copse/graph/quality.h"

namespace copse {
namespace {

constexpr int orders = 5, random_graphs = 10;
constexpr double deviations = 3;
constexpr Index swaps_per_edge = 10;

std::uint64_t pair_key(Index a, Index b) {
  return (static_cast<std::uint64_t>(std::min(a, b)) << 32) | static_cast<std::uint64_t>(std::max(a, b));
}

struct Best {
  double modularity = -1;
  std::vector<Index> labels;
};

template <class T>
Best best_partition(const Graph<T>& graph, std::uint64_t seed) {
  Best best;
  for (int order = 0; order < orders; ++order) {
    check_cancelled();
    auto labels = communities<T>(graph.weights, {.seed = seed + static_cast<std::uint64_t>(order)});
    const double modularity = graph_quality<T>(graph.weights, labels).modularity;
    if (modularity > best.modularity) best = {modularity, std::move(labels)};
  }
  return best;
}

}  // namespace

template <class T>
Graph<T> rewired(const Graph<T>& graph, std::uint64_t seed) {
  std::vector<Edge> edges;
  std::unordered_set<std::uint64_t> present;
  const SparseMatrix<T>& a = graph.weights;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      if (a.indices[p] <= j) continue;
      edges.push_back({static_cast<RowIndex>(j), a.indices[p], static_cast<double>(a.values[p])});
      present.insert(pair_key(j, a.indices[p]));
    }
  }
  const auto count = static_cast<Index>(edges.size());
  Random random(seed, 1);
  for (Index swap = 0; count > 1 && swap < swaps_per_edge * count; ++swap) {
    Edge& one = edges[random.below(count)];
    Edge& other = edges[random.below(count)];
    if (random.below(2) == 0) std::swap(other.from, other.to);
    // (a, b), (c, d) become (a, d), (c, b).
    if (one.from == other.to || other.from == one.to) continue;
    const std::uint64_t first = pair_key(one.from, other.to), second = pair_key(other.from, one.to);
    if (first == second || present.contains(first) || present.contains(second)) continue;
    present.erase(pair_key(one.from, one.to));
    present.erase(pair_key(other.from, other.to));
    std::swap(one.to, other.to);
    present.insert(first);
    present.insert(second);
  }
  return graph_from_edges<T>(graph.nodes(), edges);
}

template <class T>
CommunityChoice choose_communities(const Graph<T>& graph, std::uint64_t seed) {
  if (graph.edges() == 0) throw InvalidArgument("A graph without edges has no communities to count.");
  const Best best = best_partition(graph, seed);
  CommunityChoice choice{.modularity = best.modularity};
  std::vector<double> chance;
  for (int r = 0; r < random_graphs; ++r) {
    const auto number = static_cast<std::uint64_t>(r);
    chance.push_back(best_partition(rewired(graph, seed + 1 + number), seed).modularity);
    choice.null_modularity += chance.back() / random_graphs;
  }
  double square = 0;
  for (const double value : chance) square += (value - choice.null_modularity) * (value - choice.null_modularity);
  choice.null_deviation = std::sqrt(square / (random_graphs - 1));
  if (!(choice.modularity > choice.null_modularity + deviations * choice.null_deviation)) return choice;
  const std::vector<double> degree = degrees<T>(graph.weights);
  std::set<Index> groups;
  for (std::size_t i = 0; i < best.labels.size(); ++i) {
    if (degree[i] > 0) groups.insert(best.labels[i]);
  }
  choice.k = static_cast<Index>(groups.size());
  return choice;
}

#define COPSE_INSTANTIATE(T)                                 \
  template Graph<T> rewired(const Graph<T>&, std::uint64_t); \
  template CommunityChoice choose_communities(const Graph<T>&, std::uint64_t);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
