#include "copse/choose/clusterer.h"

#include <cmath>

#include "copse/kernels/in_memory.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"

namespace copse {
namespace {

template <class T>
class NmfClusterer : public Clusterer<T> {
 public:
  explicit NmfClusterer(const NmfOptions& options) : options_(options) {}

  ClusterFit<T> fit(const Dataset<T>& items, Index k, std::uint64_t seed) const override {
    NmfOptions options = options_;
    options.rank = k;
    options.seed = seed;
    NmfResult<T> found = factorize(*in_memory(items), options);
    ClusterFit<T> fit{.labels = cluster_items(found.h).labels, .relative_error = found.relative_error};
    fit.components = Matrix<T>(k, found.w.rows());
    for (Index i = 0; i < found.w.rows(); ++i) {
      for (Index c = 0; c < k; ++c) fit.components(c, i) = found.w(i, c);
    }
    const bool by_divergence = options.loss == Loss::kullback_leibler;
    fit.coefficients = std::move(found.h);
    fit.predict = [w = std::move(found.w), baseline = std::move(found.baseline), penalty = std::move(found.penalty),
                   by_divergence](const Dataset<T>& others) {
      const auto x = in_memory(others);
      return cluster_items(by_divergence ? assign_items_by_divergence(*x, w)
                                         : assign_items<T>(*x, w, baseline, penalty))
          .labels;
    };
    return fit;
  }

 private:
  NmfOptions options_;
};

}  // namespace

template <class T>
std::unique_ptr<Clusterer<T>> nmf_clusterer(const NmfOptions& options) {
  return std::make_unique<NmfClusterer<T>>(options);
}

template std::unique_ptr<Clusterer<float>> nmf_clusterer(const NmfOptions&);
template std::unique_ptr<Clusterer<double>> nmf_clusterer(const NmfOptions&);

}  // namespace copse
