// Affinity propagation [Frey & Dueck 2007]: items choose exemplars among themselves by passing messages along the
// similarities that are given, all or a few of each item.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"
#include "copse/nmf/nmf.h"

namespace copse {

struct AffinityIteration {
  int run = 0;         // 1, 2, ...: each with a preference or a damping of its own
  int number = 0;      // 1, 2, ... within it
  Index clusters = 0;  // exemplars as of now
  double seconds = 0;
};

struct AffinityOptions {
  Index k = 0;  // clusters to search a preference for [Kim & Park 2008, section 6]; 0: what the preference gives
  std::optional<double> preference = {};  // s(i, i) of every item; the first to try in a search; none: median of all s
  double damping = 0.5;                   // share of the old message in the new one: 0.5 to less than 1
  int max_iterations = 200;               // of a run
  int stable_iterations = 15;             // the exemplars have not changed for so long: converged
  double most_damping = 0.95;             // a run that does not converge is repeated half the way to 1, up to here
  int max_tries = 40;                     // preferences of a search
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, all runs together
  std::function<bool(const AffinityIteration&)> progress = {};  // once per iteration; false asks to stop
};

struct AffinityResult {
  std::vector<Index> labels;     // per item: 0, 1, ... ascending with the exemplars; every item has one
  std::vector<Index> exemplars;  // the item of each cluster, ascending
  double preference = 0;
  double damping = 0;
  bool converged = false;  // in the run that is kept
  int iterations = 0;      // of that run
  int runs = 0;
  double net_similarity = 0;  // sum of s(i, its exemplar) over the others, and the preference of each exemplar
  StopReason stop_reason = StopReason::converged;
};

// similarities: n x n, of any sign, s(i, j) how well j would stand for i; the diagonal is not looked at. Uses 36 bytes
// for each pair. A search ends with the number that is asked for, or with the nearest that was seen.
AffinityResult affinity_propagation(const Matrix<double>& similarities, const AffinityOptions& options = {});

// The same where column i has the similarities of item i to those that may stand for it. An item that none of the
// exemplars may stand for stands for itself: a graph in parts has at least one cluster in each.
template <class T>
AffinityResult affinity_propagation(SparseView<T> similarities, const AffinityOptions& options = {});

}  // namespace copse
