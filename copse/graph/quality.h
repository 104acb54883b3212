// How well a partition fits a graph, without any truth: modularity, normalized cut, conductance.
#pragma once

#include <span>
#include <vector>

#include "copse/matrix/sparse.h"

namespace copse {

// With w_c the weight within group c (both directions), d_c the sum of its degrees and d that of all degrees:
struct GraphQuality {
  double modularity = 0;            // sum_c w_c / d - (d_c / d)^2 (Newman & Girvan 2004); 0 for a graph without edges
  double normalized_cut = 0;        // sum_c (d_c - w_c) / d_c, over groups with edges (Yu & Shi 2003); lower is better
  double coverage = 0;              // sum_c w_c / d
  std::vector<double> conductance;  // per group: (d_c - w_c) / min(d_c, d - d_c); 0 where it is 0 / 0
};

// Labels 0, 1, ...; nodes with a negative label form no group: their edges are cut, their degrees count in d.
template <class T>
GraphQuality graph_quality(SparseView<T> a, std::span<const Index> labels);

}  // namespace copse
