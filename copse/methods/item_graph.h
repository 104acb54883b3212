// The graph that joins items where nobody says how: one recipe for every method that reads one.
#pragma once

#include <algorithm>

#include "copse/graph/similarity.h"

namespace copse {

inline constexpr Similarity default_similarity(bool sparse) {
  return sparse ? Similarity::cosine : Similarity::self_tuning;
}

// By cosine where items are sparse, self-tuning otherwise; 0 neighbours: floor(log2 n) + 1.
template <class T>
SimilarityOptions default_similarity_of(const Dataset<T>& items, Index neighbours = 0) {
  return {.kind = default_similarity(items.is_sparse()),
          .neighbours = std::min(neighbours, std::max<Index>(1, items.items() - 1))};
}

}  // namespace copse
