// Components that come back from many starts [Kotliar et al. 2019]: those of all runs are gathered, loners are left
// out, groups of like ones are found, and the median of each group is one component, fitted to the data once more.
#pragma once

#include <vector>

#include "copse/nmf/nmf.h"

namespace copse {

struct ConsensusOptions {
  int runs = 0;  // required: at least 2, each from a start of its own
  // Around a component it is as dense as the mean distance to its nearest others says, of unit vectors: 0 for copies,
  // sqrt(2) for components that share no feature. So many of the runs is how many others count.
  double neighbour_share = 0.3;
  double most_distance = 0.5;  // a component with a larger mean distance is left out; 2: none is
  int group_runs = 10;         // starts of K-means, which finds the groups
};

// The components of all runs, those of run r at r k ... r k + k - 1.
struct ConsensusOfRuns {
  int runs = 0;
  Index neighbours = 0;                // whose mean distance counts
  std::vector<double> distances = {};  // of each component; sqrt(2) for one that is zero
  std::vector<Index> groups = {};      // its group, 0 ... k - 1; -1: it was left out
  // Of each group: the mean silhouette of its components, with Euclidean distances of unit vectors, and the share of
  // the runs that have a component in it.
  std::vector<double> silhouettes = {}, shares = {};
};

// Groups of the columns of the factors `runs`, each features x k, and their medians: features x k, of unit length. A
// median that is zero, where each feature is missing in half of the group, is replaced by the mean. `seed` is that of
// K-means. Throws InvalidArgument for factors of other shapes or options out of range, and InputError where fewer than
// k components are left.
template <class T>
Matrix<T> group_components(std::vector<Matrix<T>> runs, const ConsensusOptions& options, std::uint64_t seed,
                           ConsensusOfRuns& found);

// Bytes that the components of so many runs take while these go on, and when groups are found; `width` is that of a
// number.
struct ConsensusMemory {
  double kept = 0, grouped = 0;
};
ConsensusMemory consensus_memory(int runs, double k, double features, double width);

template <class T>
struct ConsensusResult {
  NmfResult<T> nmf;  // history and best_run are those of the runs
  ConsensusOfRuns consensus;
};

// Runs, their components as above, and then H, W (with the baseline) and H again, each exact for the other. Components
// with much weight come first. Only the Frobenius loss without penalties, and options.runs of 1. An interruption takes
// the runs that have ended; if there are less than two, the result is that of the run at hand. Throws as factorize()
// and group_components() do.
template <class T>
ConsensusResult<T> factorize_by_consensus(const Data<T>& x, const NmfOptions& options, const ConsensusOptions& how);

}  // namespace copse
