// Cuts of a graph: weighted kernel K-means, and labels from leading eigenvectors. Extras of the latter: vectors (nodes
// x k), values, converged.
#include "copse/cluster/kernel_k_means.h"
#include "copse/cluster/spectral_clustering.h"
#include "copse/methods/centres.h"
#include "copse/methods/registration.h"

namespace copse {
namespace {

constexpr Traits of_a_graph(bool random) { return {.reads = Reads::graph, .random = random, .growth = 1.5}; }

double graph_bytes(const Workload& work) { return 2 * edges_of(work) * (work.width + sizeof(RowIndex)); }

struct SpectralMethod {
  CentreStart start = CentreStart::plus_plus;
  int label_runs = 10;
};

OptionRows rows_of_eigenvectors(SpectralLabels labels) {
  using Of = SpectralMethod;
  RowsOf<Of> rows;
  if (labels == SpectralLabels::k_means)
    rows.row("start", &Of::start, "First centres that are spread out, or items at random");
  if (labels != SpectralLabels::qr)
    rows.row("label_runs", &Of::label_runs, "Starts of what finds the labels, at least").within(1, 1000000).newer();
  return rows.done();
}

template <class T>
MethodResult<T> by_eigenvectors(const MethodData<T>& data, const MethodOptions& options, const SpectralMethod& own,
                                SpectralLabels labels) {
  SpectralOptions spectral{.clusters = options.k, .labels = labels, .start = own.start, .seed = options.seed};
  spectral.runs = std::max(own.label_runs, options.runs);
  if (options.max_iterations > 0) spectral.max_iterations = options.max_iterations;
  if (options.tolerance >= 0) spectral.tolerance = options.tolerance;
  SpectralResult<T> found = spectral_clustering<T>(data.graph->weights, spectral);
  MethodResult<T> result;
  result.k = found.k;
  result.labels = std::move(found.labels);
  result.objective = found.objective;
  result.run_objectives = std::move(found.run_objectives);
  result.best_run = found.best_run;
  result.history = std::move(found.history);
  result.notes = std::move(found.notes);
  result.extras = {
      {"vectors", std::move(found.vectors)}, {"values", std::move(found.values)}, {"converged", found.converged}};
  return result;
}

Method of_eigenvectors(const std::string& name, const std::string& meaning, SpectralLabels labels) {
  return with_fit({.name = name,
                   .meaning = meaning,
                   .traits = of_a_graph(labels != SpectralLabels::qr),
                   .cost =
                       [](const Workload& work, const MethodOptions& options) {
                         // The subspace in double precision, its image, and the rows of the vectors.
                         const double vectors = work.items * static_cast<double>(options.k) * 6 * sizeof(double);
                         return Cost{described_bytes(work, options) + graph_bytes(work) + vectors,
                                     2 * edges_of(work) * static_cast<double>(options.k)};
                       }},
                  SpectralMethod{}, rows_of_eigenvectors(labels),
                  [labels]<class T>(const MethodData<T>& data, const MethodOptions& options,
                                    const SpectralMethod& own) { return by_eigenvectors(data, options, own, labels); });
}

template <class T>
MethodResult<T> by_kernel_k_means(const MethodData<T>& data, const MethodOptions& options, const CentreOptions& own) {
  KernelKMeansOptions kernel = with_common(KernelKMeansOptions{}, options);
  kernel.clusters = options.k;
  kernel.start = own.start;
  kernel.online = own.online;
  kernel.runs = options.runs;
  kernel.progress = options.progress;
  return result_of(kernel_k_means<T>(data.graph->weights, kernel));
}

}  // namespace

const Method& registered::kernel_kmeans() {
  static const Method method = [] {
    RowsOf<CentreOptions> rows;
    add_centre_rows(rows);
    return with_fit({.name = "kernel-kmeans",
                     .meaning = "the normalized cut of a graph, by moves of nodes",
                     .traits = of_a_graph(true),
                     .cost =
                         [](const Workload& work, const MethodOptions& options) {
                           return Cost{described_bytes(work, options) + graph_bytes(work), 2 * edges_of(work)};
                         }},
                    CentreOptions{}, rows.done(),
                    []<class T>(const MethodData<T>& data, const MethodOptions& options, const CentreOptions& own) {
                      return by_kernel_k_means(data, options, own);
                    });
  }();
  return method;
}

const Method& registered::spectral() {
  static const Method method = of_eigenvectors(
      "spectral", "K-means of a graph's leading eigenvectors (Ng, Jordan & Weiss)", SpectralLabels::k_means);
  return method;
}

const Method& registered::yu_shi() {
  static const Method method = of_eigenvectors(
      "yu-shi", "the rotation of the leading eigenvectors nearest to a partition", SpectralLabels::discretized);
  return method;
}

const Method& registered::cluster_qr() {
  static const Method method =
      of_eigenvectors("cluster-qr", "the same rotation, told by pivots: no start", SpectralLabels::qr);
  return method;
}

}  // namespace copse
