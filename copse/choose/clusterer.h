// What the measures ask of a method: clusters of some items, and from them clusters of others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "copse/matrix/dataset.h"
#include "copse/nmf/nmf.h"

namespace copse {

template <class T>
struct ClusterFit {
  std::vector<Index> labels;                                          // 0 ... k - 1, or -1: none
  std::function<std::vector<Index>(const Dataset<T>&)> predict = {};  // labels of other items
  Matrix<T> components = {};    // k x features, unit rows: what each cluster is about; empty: the method has none
  Matrix<T> coefficients = {};  // items x k; empty: the method has none
  double relative_error = 0;
};

template <class T>
class Clusterer {
 public:
  virtual ~Clusterer() = default;
  // Clusters the items. A random start depends on the seed only. Throws InvalidArgument unless 1 <= k <= most().
  virtual ClusterFit<T> fit(const Dataset<T>& items, Index k, std::uint64_t seed) const = 0;
  // The most clusters that so many items with so many features can have.
  virtual Index most(Index items, Index features) const { return std::min(items, features); }
};

// Flat NMF with these options, but for its rank and seed: plain, sparse or affine, any solver.
template <class T>
std::unique_ptr<Clusterer<T>> nmf_clusterer(const NmfOptions& options);

}  // namespace copse
