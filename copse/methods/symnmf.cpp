// SymNMF of a graph [Kuang 2014], or of that of the items' nearest neighbours. Extras: memberships (nodes x k).
#include "copse/graph/symnmf.h"

#include <optional>

#include "copse/graph/cluster_graph.h"
#include "copse/graph/new_edges.h"
#include "copse/methods/item_graph.h"
#include "copse/methods/options.h"
#include "copse/methods/registration.h"
#include "copse/methods/runs.h"

namespace copse {
namespace {

// Pieces that were set aside are clusters that are numbered after the k. The objective is the relative error.
template <class T>
MethodResult<T> fit_graph(const MethodData<T>& data, const MethodOptions& options, const GraphClusterOptions& own) {
  GraphClusterOptions cluster = with_common(own, options);
  cluster.k = options.k;
  cluster.runs = options.runs;
  if (options.tolerance >= 0) cluster.tolerance = options.tolerance;
  if (options.progress) {
    cluster.progress = [&options](const SymIteration& step) {
      return options.progress({step.number, step.relative_error, step.seconds});
    };
  }
  GraphClusters<T> found = cluster_graph(*data.graph, cluster);
  const GraphRun& best = found.runs[static_cast<std::size_t>(found.best_run)];
  MethodResult<T> result;
  result.k = count_of(found.labels);
  result.labels = std::move(found.labels);
  result.objective = best.relative_error;
  result.iterations = best.iterations;
  result.stop_reason = best.stop_reason;
  result.best_run = found.best_run;
  for (const GraphRun& run : found.runs) result.run_objectives.push_back(run.relative_error);
  result.notes = std::move(found.notes);
  result.extras = {{"memberships", std::move(found.weights)}};
  return result;
}

template <class T>
class SymNmfFitter : public Fitter<T> {
 public:
  SymNmfFitter(const Dataset<T>& items, const Dataset<T>* others)
      : similarity_(default_similarity_of(items)), graph_(similarity_graph(items, similarity_)) {
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

// Another item has the label that most of the weight of its edges leads to. It has no components, and its error is
// that of the graph.
template <class T>
class SymNmfClusterer : public Clusterer<T> {
 public:
  std::unique_ptr<Fitter<T>> over(const Dataset<T>& items, Index, const Dataset<T>* others) const override {
    return std::make_unique<SymNmfFitter<T>>(items, others);
  }
  Index most(Index items, Index) const override { return items; }
};

}  // namespace

const Method& registered::symnmf() {
  static const Method method =
      with_clusterer(with_fit({.name = "symnmf",
                               .meaning = "A ~ B B': communities of a graph",
                               .command = "graph",
                               .by_default = true,
                               .traits = {.reads = Reads::graph, .gives = Gives::communities, .growth = 1.5},
                               .cost =
                                   [](const Workload& work, const MethodOptions& options) {
                                     const auto k = static_cast<double>(options.k);
                                     return Cost{described_bytes(work, options) + 6 * work.items * k * work.width +
                                                     4 * edges_of(work) * (work.width + sizeof(RowIndex)),
                                                 2 * edges_of(work) * k};
                                   }},
                              GraphClusterOptions{}, rows<GraphClusterOptions>(),
                              []<class T>(const MethodData<T>& data, const MethodOptions& options,
                                          const GraphClusterOptions& own) { return fit_graph(data, options, own); }),
                     []<class T>(const MethodOptions&, bool) -> std::unique_ptr<Clusterer<T>> {
                       return std::make_unique<SymNmfClusterer<T>>();
                     });
  return method;
}

}  // namespace copse
