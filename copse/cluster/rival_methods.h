// Topics, exemplars and graphs behind the face of method.h: what cluster_by() calls for the methods that have options
// and results of their own.
#pragma once

#include "copse/cluster/method.h"

namespace copse {

// The log likelihood per word is the objective; the topic with the largest share is an item's cluster.
template <class T>
MethodResult<T> by_lda(const Dataset<T>& counts, const MethodOptions& options);

// The objective is the relative distance of the words' co-occurrences from those of the anchors' mixtures.
template <class T>
MethodResult<T> by_anchor_words(const Dataset<T>& counts, const MethodOptions& options);

// The anchors are features; W has the coefficients of all features on them, and the items are fitted to W by least
// squares. The objective is |X - W H| / |X| then.
template <class T>
MethodResult<T> by_xray(const Dataset<T>& items, const MethodOptions& options);
template <class T>
MethodResult<T> by_hottopixx(const Dataset<T>& items, const MethodOptions& options);

// Items whose pairs all take part in affinity propagation: 225 MB.
constexpr Index most_of_all_pairs = 2500;

// Up to so many items are compared all with each other, by -|x - y|^2. For more, or where `items` is null, the weights
// of the graph are the similarities: an item can only choose a neighbour, so the least number of clusters that can be
// had is about the number of items over the number of neighbours. The objective is the net similarity.
template <class T>
MethodResult<T> by_affinity_propagation(const Graph<T>& graph, const Dataset<T>* items, const MethodOptions& options);

// The clusters are those of spherical K-means on the columns of H [Kuang 2014, section 3.7.3].
template <class T>
MethodResult<T> by_gnmf(const Dataset<T>& items, const Graph<T>& graph, const MethodOptions& options);

}  // namespace copse
