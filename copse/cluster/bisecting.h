// Clusters by splitting in two again and again: repeated bisection (Steinbach, Karypis & Kumar 2000; Zhao & Karypis
// 2004), and K-means in the workflow of HierNMF2 [Kuang 2014, 5.6.2].
#pragma once

#include "copse/cluster/k_means.h"
#include "copse/tree/tree.h"

namespace copse {

// Which cluster is split next.
enum class Bisect {
  gain,       // the one whose split lowers the objective most: CLUTO's "best"
  objective,  // the one with the largest objective of its own
  size        // the one with the most items
};

struct BisectingOptions {
  Index clusters = 0;     // required: 1 <= clusters <= items
  bool spherical = true;  // the objective is then CLUTO's I2: the sum of 1 - cos(x, c), or n - sum of |sum of items|
  Bisect pick = Bisect::gain;
  int trials = 10;  // starts of each split; the one with the least objective is kept
  CentreStart start = CentreStart::plus_plus;
  bool online = true;
  int max_iterations = 100;                                     // of a split
  int runs = 1;                                                 // of all
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, all runs together
  std::uint64_t seed = 0;
  std::function<bool(const MethodIteration&)> progress = {};  // once per split; false asks to stop
};

// As k_means(); a step of the history is a split. Fewer clusters come back where no cluster has two different items, or
// where somebody stopped it. Labels are in the order of the first item of each cluster.
template <class T>
KMeansResult<T> repeated_bisection(const Dataset<T>& items, const BisectingOptions& options);

// Algorithm 6 of the thesis with 2-means in place of rank-2 NMF: the topic of a node is the centre that made it, and an
// item's coefficient is its product with that centre, at unit length. `items` must have no negative entries, and
// outlive what this gives. Euclidean, as the thesis has it, or spherical.
template <class T>
std::unique_ptr<TreeData<T>> k_means_tree_data(const Dataset<T>& items, bool spherical = false);

}  // namespace copse
