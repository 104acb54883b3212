// Planted partitions: graphs whose nodes have more edges within their cluster than to others.
#pragma once

#include <cstdint>

#include "copse/generate/planted.h"

namespace copse {

struct GraphOptions {
  Index nodes = 1000;
  Index k = 10;         // clusters, of sizes that differ by one at most
  double degree = 20;   // mean number of edges of a node
  double mixing = 0.2;  // share of a node's edges that lead to other clusters
  std::uint64_t seed = 0;
};

// The stochastic block model with two probabilities: an edge within a cluster, an edge between two. The result is the
// symmetric adjacency matrix, sparse, with ones and an empty diagonal; nodes stand in random order.
// Throws InvalidArgument for an option out of range, or when a probability would exceed one.
template <class T>
Planted<T> generate_graph(const GraphOptions& options);

}  // namespace copse
