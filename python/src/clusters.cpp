// K-means and its kin, and spectral clustering.
#include <nanobind/stl/optional.h>

#include "copse/cluster/bisecting.h"
#include "copse/cluster/kernel_k_means.h"
#include "copse/cluster/spectral_clustering.h"
#include "copse/input/choices.h"
#include "copse/methods/choices.h"
#include "python/src/graph_arrays.h"
#include "python/src/rivals.h"
#include "python/src/supervisor.h"

namespace copse::python {

namespace {

template <class T>
nb::dict k_means_dict(KMeansResult<T> found) {
  nb::dict out;
  out["labels"] = to_numpy(std::move(found.labels));
  out["centres"] = to_numpy(std::move(found.centres));
  out["objective"] = found.objective;
  out["iterations"] = found.history.empty() ? 0 : found.history.back().number;
  out["stop_reason"] = name_of(found.stop_reason);
  out["run_objectives"] = found.run_objectives;
  return out;
}

template <class T>
void bind(nb::module_& module) {
  module.def(
      "k_means",
      [](const Items<T>& x, Index k, bool spherical, const std::string& start, bool online, int runs,
         int max_iterations, double tolerance, std::uint64_t seed, const std::optional<Array<T, 2>>& centres,
         int threads) {
        const KMeansOptions options{.clusters = k,
                                    .spherical = spherical,
                                    .start = choice_of<CentreStart>("init", start),
                                    .online = online,
                                    .runs = runs,
                                    .max_iterations = max_iterations,
                                    .tolerance = tolerance,
                                    .seed = seed};
        KMeansResult<T> found;
        Matrix<T> given;
        if (centres) given = to_matrix(*centres);
        Supervisor().run(threads, [&] {
          const Dataset<T> items = x.dataset();
          found = centres ? k_means(items, options, given) : k_means(items, options);
        });
        if (found.stop_reason == StopReason::interrupted) throw Cancelled();
        return k_means_dict(std::move(found));
      },
      nb::arg("items"), nb::arg("k"), nb::arg("spherical"), nb::arg("start"), nb::arg("online"), nb::arg("runs"),
      nb::arg("max_iterations"), nb::arg("tolerance"), nb::arg("seed"), nb::arg("centres").none(), nb::arg("threads"));
  module.def(
      "bisect",
      [](const Items<T>& x, Index k, bool spherical, const std::string& pick, const std::string& start, int trials,
         int max_iterations, std::uint64_t seed, int threads) {
        const BisectingOptions options{.clusters = k,
                                       .spherical = spherical,
                                       .pick = pick == "best_gain"         ? Bisect::gain
                                               : pick == "biggest_inertia" ? Bisect::objective
                                                                           : Bisect::size,
                                       .trials = trials,
                                       .start = choice_of<CentreStart>("init", start),
                                       .max_iterations = max_iterations,
                                       .seed = seed};
        KMeansResult<T> found;
        Supervisor().run(threads, [&] { found = repeated_bisection(x.dataset(), options); });
        if (found.stop_reason == StopReason::interrupted) throw Cancelled();
        return k_means_dict(std::move(found));
      },
      nb::arg("items"), nb::arg("k"), nb::arg("spherical"), nb::arg("pick"), nb::arg("start"), nb::arg("trials"),
      nb::arg("max_iterations"), nb::arg("seed"), nb::arg("threads"));
  // The weights of the two nearest centres, features x k, of each item.
  module.def(
      "nearest_weights",
      [](const Items<T>& x, const Array<T, 2>& centres, bool spherical, int threads) {
        Matrix<T> weights;
        const Matrix<T> w = to_matrix(centres);
        Supervisor().run(
            threads, [&] { weights = nearest_weights(x.data(), w, spherical ? PlaceBy::angle : PlaceBy::distance); });
        return python::to_numpy(std::move(weights));
      },
      nb::arg("items"), nb::arg("centres"), nb::arg("spherical"), nb::arg("threads"));
}

template <class T>
nb::dict cut_graph(const nb::tuple& arrays, Index k, const std::string& start, int runs, int max_iterations,
                   std::uint64_t seed, int threads) {
  KMeansResult<T> found;
  const Graph<T> graph = graph_from_matrix<T>(to_square<T>(arrays));
  Supervisor().run(threads, [&] {
    found = kernel_k_means<T>(graph.weights, {.clusters = k,
                                              .start = choice_of<CentreStart>("init", start),
                                              .runs = runs,
                                              .max_iterations = max_iterations,
                                              .seed = seed});
  });
  if (found.stop_reason == StopReason::interrupted) throw Cancelled();
  return k_means_dict(std::move(found));
}

template <class T>
nb::dict by_eigenvectors(const nb::tuple& arrays, Index k, const std::string& labels, int runs, double tolerance,
                         std::uint64_t seed, int threads) {
  SpectralResult<T> found;
  const Graph<T> graph = graph_from_matrix<T>(to_square<T>(arrays));
  Supervisor().run(threads, [&] {
    found = spectral_clustering<T>(graph.weights, {.clusters = k,
                                                   .labels = labels == "kmeans"       ? SpectralLabels::k_means
                                                             : labels == "discretize" ? SpectralLabels::discretized
                                                                                      : SpectralLabels::qr,
                                                   .runs = runs,
                                                   .tolerance = tolerance,
                                                   .seed = seed});
  });
  nb::dict out;
  out["labels"] = to_numpy(std::move(found.labels));
  out["vectors"] = to_numpy(std::move(found.vectors));
  out["values"] = to_numpy(std::move(found.values));
  out["converged"] = found.converged;
  out["notes"] = found.notes;
  return out;
}

}  // namespace

void bind_clusters(nb::module_& module) {
  bind<float>(module);
  bind<double>(module);
  // Double precision: eigenvectors of graphs with close eigenvalues ask for it, and graphs are small beside items.
  module.def("kernel_k_means", &cut_graph<double>, nb::arg("arrays"), nb::arg("k"), nb::arg("start"), nb::arg("runs"),
             nb::arg("max_iterations"), nb::arg("seed"), nb::arg("threads"));
  module.def("spectral_clustering", &by_eigenvectors<double>, nb::arg("arrays"), nb::arg("k"), nb::arg("labels"),
             nb::arg("runs"), nb::arg("tolerance"), nb::arg("seed"), nb::arg("threads"));
}

}  // namespace copse::python
