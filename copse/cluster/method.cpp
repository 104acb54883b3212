#include "copse/cluster/method.h"

#include <algorithm>
#include <array>

#include "copse/base/error.h"
#include "copse/base/stopwatch.h"
#include "copse/cluster/bisecting.h"
#include "copse/cluster/k_means.h"
#include "copse/cluster/kernel_k_means.h"
#include "copse/cluster/rival_methods.h"
#include "copse/cluster/spectral_clustering.h"
#include "copse/tree/flatten.h"

namespace copse {
namespace {

constexpr std::array traits = {
    MethodTraits{.method = ClusterMethod::kmeans, .unit_text = true, .place = PlaceBy::distance},
    MethodTraits{.method = ClusterMethod::spherical_kmeans},
    MethodTraits{.method = ClusterMethod::hierarchical_kmeans, .unit_text = true},
    MethodTraits{.method = ClusterMethod::repeated_bisection},
    MethodTraits{.method = ClusterMethod::kernel_kmeans, .from_graph = true, .growth = 1.5},
    MethodTraits{.method = ClusterMethod::spectral, .from_graph = true, .growth = 1.5},
    MethodTraits{.method = ClusterMethod::spectral_discretized, .from_graph = true, .growth = 1.5},
    MethodTraits{.method = ClusterMethod::cluster_qr, .from_graph = true, .random = false, .growth = 1.5},
    MethodTraits{.method = ClusterMethod::affinity_propagation,
                 .from_graph = true,
                 .chooses_k = true,
                 .random = false,
                 .growth = 1.5},
    MethodTraits{.method = ClusterMethod::gnmf, .from_graph = true},
    MethodTraits{.method = ClusterMethod::lda, .wants_counts = true, .soft = true, .place = PlaceBy::topic_shares},
    MethodTraits{.method = ClusterMethod::anchor_topics,
                 .wants_counts = true,
                 .random = false,
                 .soft = true,
                 .place = PlaceBy::divergence},
    MethodTraits{.method = ClusterMethod::xray, .random = false, .soft = true, .place = PlaceBy::least_squares},
    MethodTraits{.method = ClusterMethod::hottopixx, .soft = true, .place = PlaceBy::least_squares},
};

template <class T>
void check(const MethodData<T>& data, const MethodOptions& options) {
  const MethodTraits& method = traits_of(options.method);
  if (method.from_graph && data.graph == nullptr) throw InvalidArgument("this method reads a graph of the items");
  if (!method.from_graph && data.items == nullptr) throw InvalidArgument("this method reads items, not a graph");
  if (options.method == ClusterMethod::gnmf && data.items == nullptr)
    throw InvalidArgument("this method reads items and a graph of them");
  const Index items = data.items != nullptr ? data.items->items() : data.graph->nodes();
  if (data.items != nullptr && data.graph != nullptr && data.graph->nodes() != items)
    throw InvalidArgument("the graph must have one node for each item");
  if ((options.k < 1 && !method.chooses_k) || options.k < 0 || options.k > items)
    throw InvalidArgument("the number of clusters must be between 1 and the number of items");
  if (options.runs < 1) throw InvalidArgument("the number of runs must be at least 1");
}

KMeansOptions k_means_options(const MethodOptions& options) {
  KMeansOptions means{.clusters = options.k,
                      .spherical = options.method == ClusterMethod::spherical_kmeans,
                      .start = options.start,
                      .online = options.online,
                      .runs = options.runs,
                      .time_limit = options.time_limit,
                      .seed = options.seed,
                      .progress = options.progress};
  if (options.max_iterations > 0) means.max_iterations = options.max_iterations;
  if (options.tolerance >= 0) means.tolerance = options.tolerance;
  return means;
}

template <class T>
MethodResult<T> result_of(KMeansResult<T> found) {
  MethodResult<T> result;
  result.k = found.labels.empty() ? 0 : *std::ranges::max_element(found.labels) + 1;
  result.labels = std::move(found.labels);
  result.w = std::move(found.centres);
  result.objective = found.objective;
  result.history = std::move(found.history);
  result.stop_reason = found.stop_reason;
  result.run_objectives = std::move(found.run_objectives);
  result.best_run = found.best_run;
  return result;
}

template <class T>
MethodResult<T> by_bisection(const Dataset<T>& items, const MethodOptions& options) {
  BisectingOptions bisecting{.clusters = options.k,
                             .start = options.start,
                             .online = options.online,
                             .runs = options.runs,
                             .time_limit = options.time_limit,
                             .seed = options.seed,
                             .progress = options.progress};
  if (options.max_iterations > 0) bisecting.max_iterations = options.max_iterations;
  return result_of(repeated_bisection(items, bisecting));
}

// The leaves of the tree, in the order of their ids; outliers have no cluster.
template <class T>
MethodResult<T> by_tree(const Dataset<T>& items, const MethodOptions& options) {
  MethodResult<T> result;
  const Stopwatch clock;
  TreeOptions tree_options{
      .leaves = options.k,
      .outlier_trials = 5,
      .time_limit = options.time_limit,
      .seed = options.seed,
      .progress = [&](const TreeProgress& step) {
        result.history.push_back({static_cast<int>(result.history.size()) + 1, 0, clock.seconds()});
        static_cast<void>(step);
        return !options.progress || options.progress(result.history.back());
      }};
  const auto data = k_means_tree_data(items);
  const Tree<T> tree = build_tree(*data, tree_options);
  const std::vector<Index> leaves = tree.leaf_nodes();
  std::vector<Index> number(tree.nodes.size(), -1);
  for (std::size_t c = 0; c < leaves.size(); ++c) number[leaves[c]] = static_cast<Index>(c);
  result.labels = tree.partition(tree.splits());
  for (Index& label : result.labels) label = label < 0 ? -1 : number[label];
  result.k = static_cast<Index>(leaves.size());
  result.w = leaf_topics(tree);
  result.stop_reason = tree.stop_reason;
  return result;
}

template <class T>
MethodResult<T> by_kernel_k_means(const Graph<T>& graph, const MethodOptions& options) {
  KernelKMeansOptions kernel{.clusters = options.k,
                             .start = options.start,
                             .online = options.online,
                             .runs = options.runs,
                             .time_limit = options.time_limit,
                             .seed = options.seed,
                             .progress = options.progress};
  if (options.max_iterations > 0) kernel.max_iterations = options.max_iterations;
  return result_of(kernel_k_means<T>(graph.weights, kernel));
}

template <class T>
MethodResult<T> by_eigenvectors(const Graph<T>& graph, const MethodOptions& options, SpectralLabels labels) {
  SpectralOptions spectral{.clusters = options.k, .labels = labels, .start = options.start, .seed = options.seed};
  spectral.runs = std::max(spectral.runs, options.runs);
  if (options.max_iterations > 0) spectral.max_iterations = options.max_iterations;
  if (options.tolerance >= 0) spectral.tolerance = options.tolerance;
  SpectralResult<T> found = spectral_clustering<T>(graph.weights, spectral);
  MethodResult<T> result;
  result.k = found.k;
  result.labels = std::move(found.labels);
  result.objective = found.objective;
  result.run_objectives = std::move(found.run_objectives);
  result.best_run = found.best_run;
  result.history = std::move(found.history);
  result.notes = std::move(found.notes);
  return result;
}

// What every method leaves to be done: what the counts say, as sentences and numbers.
template <class T>
MethodResult<T> completed(MethodResult<T> result, const MethodOptions& options) {
  result.place = traits_of(options.method).place;
  if (result.iterations == 0 && !result.history.empty()) result.iterations = result.history.back().number;
  if (result.run_objectives.empty()) result.run_objectives = {result.objective};
  if (options.k > 0 && result.k < options.k)
    result.notes.push_back("There are " + std::to_string(result.k) + " clusters and not " + std::to_string(options.k) +
                           ": fewer items differ, or fewer groups were found.");
  const auto none = std::ranges::count(result.labels, Index(-1));
  if (none > 0)
    result.notes.push_back(std::to_string(none) + (none == 1 ? " item has" : " items have") +
                           " no cluster: nothing tells where it belongs.");
  return result;
}

}  // namespace

const MethodTraits& traits_of(ClusterMethod method) {
  return *std::ranges::find_if(traits, [&](const MethodTraits& row) { return row.method == method; });
}

template <class T>
MethodResult<T> cluster_by(const MethodData<T>& data, const MethodOptions& options) {
  check(data, options);
  const auto run = [&]() -> MethodResult<T> {
    switch (options.method) {
      case ClusterMethod::kmeans:
      case ClusterMethod::spherical_kmeans:
        return result_of(k_means(*data.items, k_means_options(options)));
      case ClusterMethod::hierarchical_kmeans:
        return by_tree(*data.items, options);
      case ClusterMethod::repeated_bisection:
        return by_bisection(*data.items, options);
      case ClusterMethod::kernel_kmeans:
        return by_kernel_k_means(*data.graph, options);
      case ClusterMethod::spectral:
        return by_eigenvectors(*data.graph, options, SpectralLabels::k_means);
      case ClusterMethod::spectral_discretized:
        return by_eigenvectors(*data.graph, options, SpectralLabels::discretized);
      case ClusterMethod::cluster_qr:
        return by_eigenvectors(*data.graph, options, SpectralLabels::qr);
      case ClusterMethod::affinity_propagation:
        return by_affinity_propagation(*data.graph, data.items, options);
      case ClusterMethod::gnmf:
        return by_gnmf(*data.items, *data.graph, options);
      case ClusterMethod::lda:
        return by_lda(*data.items, options);
      case ClusterMethod::anchor_topics:
        return by_anchor_words(*data.items, options);
      case ClusterMethod::xray:
        return by_xray(*data.items, options);
      case ClusterMethod::hottopixx:
        return by_hottopixx(*data.items, options);
    }
    throw InvalidArgument("there is no such method");
  };
  return completed(run(), options);
}

template MethodResult<float> cluster_by(const MethodData<float>&, const MethodOptions&);
template MethodResult<double> cluster_by(const MethodData<double>&, const MethodOptions&);

}  // namespace copse
