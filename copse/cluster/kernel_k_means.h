// Weighted kernel K-means of the nodes of a graph (Dhillon, Guan & Kulis 2007), for the normalized cut
//     sum over clusters of (d_c - w_c) / d_c,
// where d_c is the sum of a cluster's degrees and w_c the weight within it, both directions.
#pragma once

#include "copse/cluster/k_means.h"
#include "copse/graph/graph.h"

namespace copse {

struct KernelKMeansOptions {
  Index clusters = 0;  // required: 1 <= clusters <= nodes
  // Clusters grow from nodes that are far from each other (no neighbour of one is another, while that can be), or from
  // any.
  CentreStart start = CentreStart::plus_plus;
  bool online = true;  // moves of single nodes after the batches
  int runs = 1;        // starts to try; the one with the least objective is kept
  int max_iterations = 100;
  double time_limit = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 0;
  std::function<bool(const MethodIteration&)> progress = {};
};

// The objective is the normalized cut. The kernel D^-1 A D^-1 is not positive, so that a batch may raise it: the
// batches end with the first that does not lower it, and that one is taken back [Kuang 2014, 3.7.3]. A cluster that a
// batch leaves without nodes takes the node that has the least of its edges in its own. Nodes without edges have label
// -1. `centres` stays empty.
template <class T>
KMeansResult<T> kernel_k_means(SparseView<T> weights, const KernelKMeansOptions& options);

// From given labels, 0 ... clusters - 1: options.start and options.runs do not matter.
template <class T>
KMeansResult<T> kernel_k_means(SparseView<T> weights, const KernelKMeansOptions& options, std::vector<Index> labels);

}  // namespace copse
