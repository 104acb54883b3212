// Every method of the registry by one call: fit(method, what it reads, settings, seed, threads) -> dict.
#include <nanobind/stl/optional.h>

#include "copse/base/error.h"
#include "copse/methods/choices.h"
#include "copse/methods/item_graph.h"
#include "copse/methods/method.h"
#include "python/src/graph_arrays.h"
#include "python/src/rivals.h"
#include "python/src/settings.h"
#include "python/src/supervisor.h"

namespace copse::python {
namespace {

template <class T>
nb::dict outcome_dict(MethodResult<T> found) {
  std::vector<double> history;
  for (const MethodIteration& step : found.history) history.push_back(step.objective);
  nb::dict out;
  out["labels"] = to_numpy(std::move(found.labels));
  out["k"] = found.k;
  out["weights"] = to_numpy(std::move(found.weights));
  out["w"] = to_numpy(std::move(found.w));
  out["place"] = name_of(*found.place);
  out["prior"] = to_numpy(std::move(found.prior));
  out["objective"] = found.objective;
  out["history"] = to_numpy(std::move(history));
  out["iterations"] = found.iterations;
  out["stop_reason"] = name_of(found.stop_reason);
  out["run_objectives"] = found.run_objectives;
  out["best_run"] = found.best_run;
  out["notes"] = found.notes;
  for (auto& [name, extra] : found.extras) {
    out[name.c_str()] = std::visit(
        []<class Value>(Value& value) -> nb::object {
          if constexpr (std::is_arithmetic_v<Value>) {
            return nb::cast(value);
          } else {
            return to_numpy(std::move(value));
          }
        },
        extra);
  }
  return out;
}

MethodOptions options_of(const std::string& method, const nb::dict& settings, std::uint64_t seed) {
  MethodOptions options = options_for(method_called(method));
  options.seed = seed;
  options.places_items = false;
  take_given(to_settings(settings), bound(options));
  return options;
}

// work() gives a MethodResult.
template <class T, class Work>
nb::dict supervised(int threads, const Work& work) {
  MethodResult<T> found;
  Supervisor().run(threads, [&] { found = work(); });
  if (found.stop_reason == StopReason::interrupted) throw Cancelled();
  return outcome_dict(std::move(found));
}

template <class T>
void bind_fits(nb::module_& module) {
  // A method that reads a graph has that of the items' nearest neighbours, 0: as many as usual. `centres`, features x
  // k: where K-means begins.
  module.def(
      "fit",
      [](const std::string& method, const Items<T>& x, const nb::dict& settings, std::uint64_t seed, int threads,
         Index neighbours, const std::optional<Array<T, 2>>& centres) {
        const MethodOptions options = options_of(method, settings, seed);
        Matrix<T> given;
        if (centres) given = to_matrix(*centres);
        return supervised<T>(threads, [&] {
          const Dataset<T> items = x.dataset();
          MethodData<T> data{.items = &items, .centres = centres ? &given : nullptr};
          Graph<T> graph;
          if (options.method->traits.reads_graph()) {
            graph = similarity_graph(items, default_similarity_of(items, neighbours));
            data.graph = &graph;
          }
          return cluster_by(data, options);
        });
      },
      nb::arg("method"), nb::arg("items"), nb::arg("settings"), nb::arg("seed"), nb::arg("threads"),
      nb::arg("neighbours") = 0, nb::arg("centres") = nb::none());
}

nb::dict described(const Method& method) {
  const Traits& traits = method.traits;
  nb::dict out, options;
  for (const Option& row : method.rows) options[row.name.c_str()] = row.meaning;
  out["name"] = method.name;
  out["meaning"] = method.meaning;
  out["command"] = method.command;
  out["reads"] = name_of(traits.reads);
  out["gives"] = name_of(traits.gives);
  out["place"] = name_of(traits.place);
  out["random"] = traits.random;
  out["soft"] = traits.soft;
  out["chooses_k"] = traits.chooses_k;
  out["factors"] = traits.factors;
  out["surveyed"] = static_cast<bool>(method.clusterer);
  out["options"] = options;
  return out;
}

}  // namespace

void bind_methods(nb::module_& module) {
  bind_fits<float>(module);
  bind_fits<double>(module);
  module.def("methods", [] {
    nb::list all;
    for (const Method* method : methods()) all.append(described(*method));
    return all;
  });
  // Of a graph. Double precision: eigenvectors of graphs with close eigenvalues ask for it, and graphs are small beside
  // items.
  module.def(
      "fit",
      [](const std::string& method, const nb::tuple& graph, const nb::dict& settings, std::uint64_t seed, int threads) {
        const MethodOptions options = options_of(method, settings, seed);
        const Graph<double> joined = graph_from_matrix<double>(to_square<double>(graph));
        return supervised<double>(threads, [&] { return cluster_by<double>({.graph = &joined}, options); });
      },
      nb::arg("method"), nb::arg("graph"), nb::arg("settings"), nb::arg("seed"), nb::arg("threads"));
  // Of similarities of any sign: all, or row i of a CSR matrix has those of item i to the items that may stand for it.
  module.def(
      "fit_similarities",
      [](const std::string& method, const Array<double, 2>& similarities, const nb::dict& settings, std::uint64_t seed,
         int threads) {
        const MethodOptions options = options_of(method, settings, seed);
        const Matrix<double> all = to_matrix(similarities);
        return supervised<double>(threads, [&] { return cluster_by<double>({.similarities = &all}, options); });
      },
      nb::arg("method"), nb::arg("similarities"), nb::arg("settings"), nb::arg("seed"), nb::arg("threads"));
  module.def(
      "fit_similarities",
      [](const std::string& method, const Items<double>& similarities, const nb::dict& settings, std::uint64_t seed,
         int threads) {
        const MethodOptions options = options_of(method, settings, seed);
        return supervised<double>(threads, [&] {
          Dataset<double> data = similarities.dataset();
          const Graph<double> pairs{.weights = std::move(std::get<SparseMatrix<double>>(data.values))};
          return cluster_by<double>({.graph = &pairs}, options);
        });
      },
      nb::arg("method"), nb::arg("similarities"), nb::arg("settings"), nb::arg("seed"), nb::arg("threads"));
}

}  // namespace copse::python
