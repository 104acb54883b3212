// Graphs of items: each is joined to those that are most similar to it [Kuang 2014, section 3.7.1].
#pragma once

#include "copse/graph/graph.h"
#include "copse/matrix/dataset.h"

namespace copse {

enum class Similarity {
  cosine,      // x'y / (|x| |y|), [Kuang 2014, eq. 26]
  gaussian,    // exp(-|x - y|^2 / sigma^2), [Kuang 2014, eq. 16]
  self_tuning  // exp(-|x - y|^2 / (s_x s_y)), s the distance to the 7th neighbour, [Kuang 2014, eq. 27]
};

// How neighbours are looked for.
enum class NeighbourSearch {
  automatic,  // approximate for dense items above `exact_items`, else exact
  exact,
  approximate  // dense items only
};

struct SimilarityOptions {
  Similarity kind = Similarity::cosine;
  Index neighbours = 0;       // that each item keeps; 0: floor(log2 n) + 1
  double sigma = 0;           // gaussian: required
  Index scale_neighbour = 7;  // self_tuning
  NeighbourSearch search = NeighbourSearch::automatic;
  Index exact_items = 50000;  // dense items up to which the automatic search is exact
  Index recall_sample = 200;  // items whose neighbours are looked for exactly after an approximate search
};

struct SimilarityReport {
  bool approximate = false;
  double recall = 1;  // the share of the nearest neighbours that was found, of the sample
};

// floor(log2 n) + 1, at most n - 1 ([Kuang 2014, section 3.7.1], after von Luxburg 2007).
Index default_neighbours(Index items);

// An edge joins i and j if one is among the nearest of the other, [Kuang 2014, eq. 29]. There are no loops. An edge
// whose weight rounds to zero does not exist. Throws InvalidArgument for bad options or items that cannot be compared.
template <class T>
Graph<T> similarity_graph(const Dataset<T>& items, const SimilarityOptions& options = {},
                          SimilarityReport* report = nullptr);

}  // namespace copse
