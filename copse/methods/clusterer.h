// What the measures ask of a method: clusters of some items, and from them clusters of others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

template <class T>
struct ClusterFit {
  std::vector<Index> labels;          // 0 ... k - 1, or -1: none
  std::vector<Index> predicted = {};  // labels of the other items, where there are any
  Matrix<T> components = {};          // k x features, unit rows: what each cluster is about; empty: the method has none
  Matrix<T> coefficients = {};        // items x k; empty: the method has none
  double relative_error = 0;
};

struct FitRequest {
  Index k = 0;
  std::uint64_t seed = 0;
};

// A method on some items. The fits for every k share what does not depend on k: copies of the data, a graph, a tree.
template <class T>
class Fitter {
 public:
  virtual ~Fitter() = default;
  // Clusters the items and places the others. A random start depends on the seed only, and no bit on other fits. Throws
  // InvalidArgument unless 1 <= k <= Clusterer::most(), and Cancelled where it was stopped from outside, at any time:
  // half a fit is none.
  virtual ClusterFit<T> fit(Index k, std::uint64_t seed) = 0;
  // Several, which may share what work they can. The bits are those of fit().
  virtual std::vector<ClusterFit<T>> fits(std::span<const FitRequest> requests) {
    std::vector<ClusterFit<T>> found;
    for (const FitRequest& request : requests) found.push_back(fit(request.k, request.seed));
    return found;
  }
};

template <class T>
class Clusterer {
 public:
  virtual ~Clusterer() = default;
  // Fits with `largest` clusters at most. `items`, and `others` where there are any, must outlive it.
  virtual std::unique_ptr<Fitter<T>> over(const Dataset<T>& items, Index largest,
                                          const Dataset<T>* others = nullptr) const = 0;
  // One fit alone.
  ClusterFit<T> fit(const Dataset<T>& items, Index k, std::uint64_t seed, const Dataset<T>* others = nullptr) const {
    return over(items, k, others)->fit(k, seed);
  }
  // The most clusters that so many items with so many features can have.
  virtual Index most(Index items, Index features) const { return std::min(items, features); }
  // Whether another seed may give another fit.
  virtual bool is_random() const { return true; }
};

}  // namespace copse
