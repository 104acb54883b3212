// Flat NMF.
#include <nanobind/stl/optional.h>

#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"
#include "copse/tree/flatten.h"
#include "python/src/bind.h"
#include "python/src/items.h"
#include "python/src/supervisor.h"

namespace copse::python {
namespace {

// One row per iteration: number, relative error, ratio of the projected gradient, seconds.
nb::object to_numpy(const std::vector<Iteration>& history) {
  Matrix<double> rows(static_cast<Index>(history.size()), 4);
  for (Index i = 0; i < rows.rows(); ++i) {
    const Iteration& iteration = history[static_cast<std::size_t>(i)];
    rows(i, 0) = iteration.number;
    rows(i, 1) = iteration.relative_error;
    rows(i, 2) = iteration.projected_gradient_ratio;
    rows(i, 3) = iteration.seconds;
  }
  return python::to_numpy(std::move(rows));
}

template <class T>
nb::dict to_dict(NmfResult<T> result, std::vector<Index> labels) {
  nb::dict out;
  out["w"] = python::to_numpy(std::move(result.w));
  out["h"] = python::to_numpy(std::move(result.h));
  out["labels"] = python::to_numpy(std::move(labels));
  out["baseline"] = python::to_numpy(std::move(result.baseline));
  out["penalty"] = python::to_numpy(std::move(result.penalty));
  out["history"] = to_numpy(result.history);
  out["stop_reason"] = result.stop_reason;
  out["relative_error"] = result.relative_error;
  out["projected_gradient_ratio"] = result.projected_gradient_ratio;
  out["run_errors"] = python::to_numpy(std::move(result.run_errors));
  out["best_run"] = result.best_run;
  return out;
}

template <class T>
void bind_nmf_of(nb::module_& module) {
  module.def(
      "factorize",
      [](const Items<T>& x, NmfOptions options, bool dc, const std::optional<Array<T, 2>>& w,
         const std::optional<Array<T, 2>>& h, int threads, const nb::object& progress, bool keep_interrupted) {
        Supervisor supervisor(keep_interrupted);
        options.progress = [&](const Iteration& iteration) {
          if (progress.is_none()) return !supervisor.stopping();
          return supervisor.ask([&] { return nb::cast<bool>(progress(iteration)); });
        };
        NmfResult<T> result;
        std::vector<Index> labels;
        supervisor.run(threads, [&] {
          if (dc) {
            result = factorize_dc(x.data(), *x.tree_data(), options);
          } else if (w && h) {
            result = factorize(x.data(), options, to_matrix(*w), to_matrix(*h));
          } else {
            result = factorize(x.data(), options);
          }
          labels = cluster_items(result.h).labels;
        });
        return to_dict(std::move(result), std::move(labels));
      },
      nb::arg("items"), nb::arg("options"), nb::kw_only(), nb::arg("dc") = false, nb::arg("w") = nb::none(),
      nb::arg("h") = nb::none(), nb::arg("threads") = 0, nb::arg("progress") = nb::none(),
      nb::arg("keep_interrupted") = false);
  module.def(
      "assign_items",
      [](const Items<T>& x, const Array<T, 2>& w, const Array<T, 1>& baseline, const Array<double, 1>& penalty,
         int threads) {
        Matrix<T> h;
        Supervisor().run(threads, [&] {
          h = assign_items(x.data(), to_matrix(w), std::span<const T>(baseline.data(), baseline.size()),
                           std::span<const double>(penalty.data(), penalty.size()));
        });
        return python::to_numpy(std::move(h));
      },
      nb::arg("items"), nb::arg("w"), nb::arg("baseline"), nb::arg("penalty"), nb::arg("threads"));
}

}  // namespace

void bind_nmf(nb::module_& module) {
  nb::enum_<Solver>(module, "Solver")
      .value("hals", Solver::hals)
      .value("mu", Solver::mu)
      .value("active_set", Solver::active_set)
      .value("pivoting", Solver::pivoting)
      .value("projected_gradient", Solver::projected_gradient);
  nb::enum_<Start>(module, "Start")
      .value("automatic", Start::automatic)
      .value("random", Start::random)
      .value("nndsvd", Start::nndsvd)
      .value("nndsvda", Start::nndsvda)
      .value("nndsvdar", Start::nndsvdar)
      .value("sample", Start::sample);
  nb::enum_<StopReason>(module, "StopReason")
      .value("converged", StopReason::converged)
      .value("max_iterations", StopReason::max_iterations)
      .value("time_limit", StopReason::time_limit)
      .value("interrupted", StopReason::interrupted);
  nb::class_<Iteration>(module, "Iteration")
      .def_ro("number", &Iteration::number)
      .def_ro("relative_error", &Iteration::relative_error)
      .def_ro("projected_gradient_ratio", &Iteration::projected_gradient_ratio)
      .def_ro("seconds", &Iteration::seconds);
  nb::class_<NmfOptions>(module, "NmfOptions")
      .def(nb::init<>())
      .def_rw("rank", &NmfOptions::rank)
      .def_rw("solver", &NmfOptions::solver)
      .def_rw("start", &NmfOptions::start)
      .def_rw("runs", &NmfOptions::runs)
      .def_rw("max_iterations", &NmfOptions::max_iterations)
      .def_rw("tolerance", &NmfOptions::tolerance)
      .def_rw("time_limit", &NmfOptions::time_limit)
      .def_rw("seed", &NmfOptions::seed)
      .def_rw("alpha", &NmfOptions::alpha)
      .def_rw("beta", &NmfOptions::beta)
      .def_rw("affine", &NmfOptions::affine)
      .def_rw("extrapolate", &NmfOptions::extrapolate);
  bind_nmf_of<float>(module);
  bind_nmf_of<double>(module);
  nb::class_<SparseWeights>(module, "SparseWeights")
      .def_ro("alpha", &SparseWeights::alpha)
      .def_ro("beta", &SparseWeights::beta);
  module.def("thesis_sparse_weights", &thesis_sparse_weights, nb::arg("largest_entry"));
  module.def("snmf_sparse_weights", &snmf_sparse_weights, nb::arg("largest_entry"), nb::arg("text"));
}

}  // namespace copse::python
