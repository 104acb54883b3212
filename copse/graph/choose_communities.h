// How many communities a graph has, beside graphs with the same degrees whose edges are drawn at random.
#pragma once

#include <cstdint>

#include "copse/graph/graph.h"

namespace copse {

struct CommunityChoice {
  Index k = 1;                 // 1: no more structure than chance
  double modularity = 0;       // of the best partition into any number of groups
  double null_modularity = 0;  // the mean of that over the random graphs
  double null_deviation = 0;
};

// The number of groups at the highest modularity over a few orders of the nodes; nodes without edges are no groups. 1
// where modularity <= mean + 3 deviations of as many random graphs. Throws InvalidArgument for a graph without edges.
template <class T>
CommunityChoice choose_communities(const Graph<T>& graph, std::uint64_t seed);

// Edges change partners, a pair at a time, ten times as often as there are edges: no node changes its number of edges,
// none gets a loop or two edges to one other; weights go along with the edges.
template <class T>
Graph<T> rewired(const Graph<T>& graph, std::uint64_t seed);

}  // namespace copse
