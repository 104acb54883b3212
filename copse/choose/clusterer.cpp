#include "copse/choose/clusterer.h"

#include <optional>

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

// The items and the others, as data for products.
template <class T>
struct ItemsAndOthers {
  ItemsAndOthers(const Dataset<T>& own, const Dataset<T>* other)
      : items(in_memory(own)), others(other == nullptr ? nullptr : in_memory(*other)) {}

  std::unique_ptr<Data<T>> items, others;  // others: null if there are none
};

template <class T>
class NmfFitter : public Fitter<T> {
 public:
  NmfFitter(const NmfOptions& options, const Dataset<T>& items, const Dataset<T>* others)
      : options_(options), x_(items, others) {}

  ClusterFit<T> fit(Index k, std::uint64_t seed) override {
    const FitRequest request{k, seed};
    return std::move(fits({&request, 1}).front());
  }

  std::vector<ClusterFit<T>> fits(std::span<const FitRequest> requests) override {
    std::vector<NmfOptions> options(requests.size(), options_);
    for (std::size_t f = 0; f < requests.size(); ++f) {
      options[f].rank = requests[f].k;
      options[f].seed = requests[f].seed;
    }
    std::vector<ClusterFit<T>> fits;
    for (NmfResult<T>& found : factorize_together<T>(*x_.items, options)) fits.push_back(fit_of(std::move(found)));
    return fits;
  }

 private:
  ClusterFit<T> fit_of(NmfResult<T> found) const {
    refuse_half(found.stop_reason);
    ClusterFit<T> fit{.labels = cluster_items(found.h).labels, .relative_error = found.relative_error};
    fit.components = components_of(found.w, found.w.cols());
    if (x_.others) {
      fit.predicted = cluster_items(options_.loss == Loss::kullback_leibler
                                        ? assign_items_by_divergence(*x_.others, found.w)
                                        : assign_items<T>(*x_.others, found.w, found.baseline, found.penalty))
                          .labels;
    }
    fit.coefficients = std::move(found.h);
    return fit;
  }

  NmfOptions options_;
  ItemsAndOthers<T> x_;
};

template <class T>
class NmfClusterer : public Clusterer<T> {
 public:
  explicit NmfClusterer(const NmfOptions& options) : options_(options) {}

  std::unique_ptr<Fitter<T>> over(const Dataset<T>& items, Index, const Dataset<T>* others) const override {
    return std::make_unique<NmfFitter<T>>(options_, items, others);
  }

 private:
  NmfOptions options_;
};

template <class T>
class CentreFitter : public Fitter<T> {
 public:
  CentreFitter(const MethodOptions& options, const Dataset<T>& items, const Dataset<T>* others)
      : options_(options), items_(items), others_(others == nullptr ? nullptr : in_memory(*others)) {}

  ClusterFit<T> fit(Index k, std::uint64_t seed) override {
    MethodOptions options = options_;
    options.k = k;
    options.seed = seed;
    MethodResult<T> found = cluster_by<T>({&items_, nullptr}, options);
    refuse_half(found.stop_reason);
    ClusterFit<T> fit{.labels = {}, .relative_error = hard_error(items_, found.w, found.labels)};
    if (found.place == PlaceBy::angle) fit.components = components_of(found.w, k);
    fit.labels = std::move(found.labels);
    if (others_) fit.predicted = cluster_items(nearest_weights<T>(*others_, found.w, found.place)).labels;
    return fit;
  }

 private:
  MethodOptions options_;
  const Dataset<T>& items_;
  std::unique_ptr<Data<T>> others_;
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

  std::unique_ptr<Fitter<T>> over(const Dataset<T>& items, Index, const Dataset<T>* others) const override {
    return std::make_unique<CentreFitter<T>>(options_, items, others);
  }
  Index most(Index items, Index) const override { return items; }
  bool is_random() const override { return traits_.random; }

 private:
  MethodOptions options_;
  MethodTraits traits_;
};

// Grows one tree, of which those with fewer leaves are the beginning.
template <class T>
class TreeFitter : public Fitter<T> {
 public:
  TreeFitter(const TreeOptions& options, const Dataset<T>& items, Index largest, const Dataset<T>* others)
      : options_(options), items_(tree_data(items)), x_(items, others) {
    options_.leaves = largest;
  }

  ClusterFit<T> fit(Index k, std::uint64_t seed) override {
    if (!tree_ || is_random_) grow(k, seed);
    Matrix<T> topics = leaf_topics(*x_.items, tree_->beginning(k));
    Matrix<T> h = flatten(*x_.items, topics);
    ClusterFit<T> fit{.labels = cluster_items(h).labels, .relative_error = relative_error<T>(*x_.items, topics, h)};
    fit.components = components_of(topics, k);
    fit.coefficients = std::move(h);
    if (x_.others) fit.predicted = cluster_items(flatten(*x_.others, topics)).labels;
    return fit;
  }

 private:
  void grow(Index k, std::uint64_t seed) {
    TreeOptions options = options_;
    if (is_random_) options.leaves = k;
    options.seed = seed;
    Tree<T> tree = build_tree(*items_, options);
    refuse_half(tree.stop_reason);
    tree_ = std::move(tree);
  }

  TreeOptions options_;
  bool is_random_ = options_.start == Rank2Start::random;  // another seed grows another tree
  std::unique_ptr<TreeData<T>> items_;
  ItemsAndOthers<T> x_;
  std::optional<Tree<T>> tree_;
};

template <class T>
class TreeClusterer : public Clusterer<T> {
 public:
  explicit TreeClusterer(const TreeOptions& options) : options_(options) {}

  std::unique_ptr<Fitter<T>> over(const Dataset<T>& items, Index largest, const Dataset<T>* others) const override {
    return std::make_unique<TreeFitter<T>>(options_, items, largest, others);
  }
  bool is_random() const override { return options_.start == Rank2Start::random; }

 private:
  TreeOptions options_;
};

template <class T>
class SymNmfFitter : public Fitter<T> {
 public:
  SymNmfFitter(const Dataset<T>& items, const Dataset<T>* others)
      : similarity_{.kind = items.is_sparse() ? Similarity::cosine : Similarity::self_tuning},
        graph_(similarity_graph(items, similarity_)) {
    if (others != nullptr) edges_ = edges_to_nearest(items, *others, similarity_);
  }

  ClusterFit<T> fit(Index k, std::uint64_t seed) override {
    const GraphClusters<T> found = cluster_graph(graph_, {.k = k, .seed = seed});
    refuse_half(found.runs.back().stop_reason);
    ClusterFit<T> fit{.labels = {}, .relative_error = found.runs.front().relative_error};
    // Pieces that were set aside are numbered from k on: they are in no cluster.
    const auto cluster = [k](Index label) { return label < k ? label : -1; };
    for (const Index label : found.labels) fit.labels.push_back(cluster(label));
    if (!edges_) return fit;
    for (const StrongestLabel& one : strongest_labels<T>(found.labels, *edges_))
      fit.predicted.push_back(cluster(one.label));
    return fit;
  }

 private:
  SimilarityOptions similarity_;
  Graph<T> graph_;
  std::optional<SparseMatrix<T>> edges_;  // from the items to the others
};

template <class T>
class SymNmfClusterer : public Clusterer<T> {
 public:
  std::unique_ptr<Fitter<T>> over(const Dataset<T>& items, Index, const Dataset<T>* others) const override {
    return std::make_unique<SymNmfFitter<T>>(items, others);
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
