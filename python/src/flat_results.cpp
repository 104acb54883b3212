// Flat factorizations: fitted, opened, asked, written.
#include "python/src/results.h"

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
void bind_flat(nb::module_& module, const char* name) {
  bind_result<FlatResult<T>>(module, name)
      .def_prop_ro("h", [](const FlatResult<T>& result) { return python::to_numpy(Matrix<T>(result.model.h)); })
      .def_prop_ro("penalty",
                   [](const FlatResult<T>& result) { return python::to_numpy(std::vector(result.model.penalty)); })
      .def_prop_ro("baseline",
                   [](const FlatResult<T>& result) { return python::to_numpy(std::vector(result.model.baseline)); })
      .def_prop_ro("history", [](const FlatResult<T>& result) { return to_numpy(result.report.history); })
      // To ask for the coefficients of other components, given as features x topics.
      .def(
          "with_w",
          [](const FlatResult<T>& result, const Array<T, 2>& w) {
            FlatResult<T> other = result;
            other.model.w = to_matrix(w);
            return other;
          },
          nb::arg("w"));
  module.def(
      "factor",
      [](const Items<T>& x, const nb::dict& settings, Index rank, std::uint64_t seed, bool dc,
         const std::optional<Array<T, 2>>& w, const std::optional<Array<T, 2>>& h,
         std::vector<std::string> feature_names, const std::string& line, int threads, const nb::object& progress,
         bool keep_interrupted) {
        FlatRunOptions options;
        take(settings, options.nmf);
        options.command = x.is_text() ? "topics" : "factor";
        options.exact_items = x.is_text() || dc;  // few iterations leave H behind W
        options.input = x.input();
        options.nmf.rank = rank;
        options.nmf.seed = seed;
        options.dc = dc;
        Supervisor supervisor(keep_interrupted);
        options.nmf.progress = asks<Iteration>(supervisor, progress);
        FlatResult<T> result;
        supervisor.run(threads, [&] {
          std::optional<StartFactors<T>> start;
          if (w && h) start.emplace(StartFactors<T>{to_matrix(*w), to_matrix(*h)});
          result = run_flat(options, x.run_data(), x.model_items(std::move(feature_names)), std::move(start));
          result.report.line = line;
        });
        return result;
      },
      nb::arg("items"), nb::arg("settings"), nb::kw_only(), nb::arg("rank"), nb::arg("seed"), nb::arg("dc") = false,
      nb::arg("w") = nb::none(), nb::arg("h") = nb::none(), nb::arg("feature_names"), nb::arg("line"),
      nb::arg("threads"), nb::arg("progress").none(), nb::arg("keep_interrupted"));
}

}  // namespace

void bind_flat_results(nb::module_& module) {
  nb::class_<Iteration>(module, "Iteration")
      .def_ro("number", &Iteration::number)
      .def_ro("relative_error", &Iteration::relative_error)
      .def_ro("projected_gradient_ratio", &Iteration::projected_gradient_ratio)
      .def_ro("seconds", &Iteration::seconds);
  bind_flat<float>(module, "FlatResultFloat");
  bind_flat<double>(module, "FlatResultDouble");
}

}  // namespace copse::python
