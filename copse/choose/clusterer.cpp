#include "copse/choose/clusterer.h"

#include <cmath>

#include "copse/base/error.h"
#include "copse/cluster/hard_error.h"
#include "copse/cluster/k_means.h"
#include "copse/graph/cluster_graph.h"
#include "copse/graph/new_edges.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"
#include "copse/nmf/error.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

void refuse_half(StopReason reason) {
  if (reason == StopReason::interrupted) throw Cancelled();
}

// W' (features x found clusters) as k rows; those that were not found are zero.
template <class T>
Matrix<T> components_of(const Matrix<T>& w, Index k) {
  Matrix<T> components(k, w.rows());
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index c = 0; c < w.cols(); ++c) components(c, i) = w(i, c);
  }
  return components;
}

template <class T>
class NmfClusterer : public Clusterer<T> {
 public:
  explicit NmfClusterer(const NmfOptions& options) : options_(options) {}

  ClusterFit<T> fit(const Dataset<T>& items, Index k, std::uint64_t seed) const override {
    NmfOptions options = options_;
    options.rank = k;
    options.seed = seed;
    NmfResult<T> found = factorize(*in_memory(items), options);
    refuse_half(found.stop_reason);
    ClusterFit<T> fit{.labels = cluster_items(found.h).labels, .relative_error = found.relative_error};
    fit.components = components_of(found.w, k);
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

template <class T>
class CentreClusterer : public Clusterer<T> {
 public:
  explicit CentreClusterer(const MethodOptions& options) : options_(options), traits_(traits_of(options.method)) {
    options_.runs = 1;
    const bool by_nearest = traits_.place == PlaceBy::angle || traits_.place == PlaceBy::distance;
    if (traits_.from_graph || traits_.chooses_k || traits_.wants_counts || traits_.soft || !by_nearest)
      throw InvalidArgument("This method has no centres that tell where other items belong.");
  }

  ClusterFit<T> fit(const Dataset<T>& items, Index k, std::uint64_t seed) const override {
    MethodOptions options = options_;
    options.k = k;
    options.seed = seed;
    MethodResult<T> found = cluster_by<T>({&items, nullptr}, options);
    refuse_half(found.stop_reason);
    ClusterFit<T> fit{.labels = {}, .relative_error = hard_error(items, found.w, found.labels)};
    if (found.place == PlaceBy::angle) fit.components = components_of(found.w, k);
    fit.labels = std::move(found.labels);
    fit.predict = [w = std::move(found.w), place = found.place](const Dataset<T>& others) {
      return cluster_items(nearest_weights<T>(*in_memory(others), w, place)).labels;
    };
    return fit;
  }

  Index most(Index items, Index) const override { return items; }
  bool is_random() const override { return traits_.random; }

 private:
  MethodOptions options_;
  MethodTraits traits_;
};

template <class T>
class TreeClusterer : public Clusterer<T> {
 public:
  explicit TreeClusterer(const TreeOptions& options) : options_(options) {}

  ClusterFit<T> fit(const Dataset<T>& items, Index k, std::uint64_t seed) const override {
    TreeOptions options = options_;
    options.leaves = k;
    options.seed = seed;
    const Tree<T> tree = build_tree(*tree_data(items), options);
    refuse_half(tree.stop_reason);
    const auto x = in_memory(items);
    Matrix<T> topics = leaf_topics(*x, tree);
    Matrix<T> h = flatten(*x, topics);
    ClusterFit<T> fit{.labels = cluster_items(h).labels, .relative_error = relative_error<T>(*x, topics, h)};
    fit.components = components_of(topics, k);
    fit.coefficients = std::move(h);
    fit.predict = [topics = std::move(topics)](const Dataset<T>& others) {
      return cluster_items(flatten(*in_memory(others), topics)).labels;
    };
    return fit;
  }

  bool is_random() const override { return options_.start == Rank2Start::random; }

 private:
  TreeOptions options_;
};

template <class T>
class SymNmfClusterer : public Clusterer<T> {
 public:
  ClusterFit<T> fit(const Dataset<T>& items, Index k, std::uint64_t seed) const override {
    SimilarityOptions similarity{.kind = items.is_sparse() ? Similarity::cosine : Similarity::self_tuning};
    const Graph<T> graph = similarity_graph(items, similarity);
    GraphClusters<T> found = cluster_graph(graph, {.k = k, .seed = seed});
    refuse_half(found.runs.back().stop_reason);
    ClusterFit<T> fit{.labels = {}, .relative_error = found.runs.front().relative_error};
    // Pieces that were set aside are numbered from k on: they are in no cluster.
    const auto cluster = [k](Index label) { return label < k ? label : -1; };
    for (const Index label : found.labels) fit.labels.push_back(cluster(label));
    fit.predict = [known = items, labels = std::move(found.labels), similarity, cluster](const Dataset<T>& others) {
      std::vector<Index> predicted;
      for (const StrongestLabel& one : strongest_labels<T>(labels, edges_to_nearest(known, others, similarity)))
        predicted.push_back(cluster(one.label));
      return predicted;
    };
    return fit;
  }

  Index most(Index items, Index) const override { return items; }
};

}  // namespace

template <class T>
std::unique_ptr<Clusterer<T>> nmf_clusterer(const NmfOptions& options) {
  return std::make_unique<NmfClusterer<T>>(options);
}

template <class T>
std::unique_ptr<Clusterer<T>> centre_clusterer(const MethodOptions& options) {
  return std::make_unique<CentreClusterer<T>>(options);
}

template <class T>
std::unique_ptr<Clusterer<T>> tree_clusterer(const TreeOptions& options) {
  return std::make_unique<TreeClusterer<T>>(options);
}

template <class T>
std::unique_ptr<Clusterer<T>> symnmf_clusterer() {
  return std::make_unique<SymNmfClusterer<T>>();
}

#define COPSE_INSTANTIATE(T)                                                     \
  template std::unique_ptr<Clusterer<T>> nmf_clusterer(const NmfOptions&);       \
  template std::unique_ptr<Clusterer<T>> centre_clusterer(const MethodOptions&); \
  template std::unique_ptr<Clusterer<T>> tree_clusterer(const TreeOptions&);     \
  template std::unique_ptr<Clusterer<T>> symnmf_clusterer();
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
