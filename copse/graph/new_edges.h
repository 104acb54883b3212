// Items that were not in a graph of neighbours: their edges to it, and the cluster that most of these lead to.
#pragma once

#include <span>
#include <vector>

#include "copse/graph/similarity.h"

namespace copse {

// Items as columns over the known ones: the weights of the edges of each to its nearest among them, as
// similarity_graph() would weigh them. A self-tuning similarity takes the new item's own scale only.
template <class T>
SparseMatrix<T> edges_to_nearest(const Dataset<T>& known, const Dataset<T>& items, const SimilarityOptions& options);

// The label that holds most of the weight of a column, and its share of it; the lower of equal ones. A column without
// weight has none.
struct StrongestLabel {
  Index label = -1;
  double share = 0;
};
// `labels` has one for each row, none below 0.
template <class T>
std::vector<StrongestLabel> strongest_labels(std::span<const Index> labels, const SparseMatrix<T>& weights);

}  // namespace copse
