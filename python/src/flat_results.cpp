// Flat factorizations: fitted, opened, asked, written.
#include "copse/nmf/assign.h"
#include "copse/nmf/error.h"
#include "copse/nmf/online.h"
#include "copse/run/flat_run.h"
#include "python/src/graph_arrays.h"
#include "python/src/processes.h"
#include "python/src/results.h"

namespace copse::python {
namespace {

// One row per iteration: number, relative error, ratio of the projected gradient, seconds.
nb::object history_to_numpy(const std::vector<Iteration>& history) {
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

nb::object to_python(const std::optional<ConsensusOfRuns>& consensus) {
  if (!consensus) return nb::none();
  nb::dict out;
  out["runs"] = consensus->runs;
  out["neighbours"] = consensus->neighbours;
  out["distances"] = python::to_numpy(std::vector(consensus->distances));
  out["groups"] = python::to_numpy(std::vector(consensus->groups));
  out["silhouettes"] = python::to_numpy(std::vector(consensus->silhouettes));
  out["shares"] = python::to_numpy(std::vector(consensus->shares));
  return out;
}

// Where the features of a matrix have names, the topics get labels.
template <class T>
void name_topics(const Items<T>& x, FlatResult& result) {
  if (result.model.items.feature_names.empty()) return;
  add_labels(entries_of_words(x, result), result.view, result.model.items);
  describe(result);
}

template <class T>
void bind_flat(nb::module_& module, nb::class_<FlatResult>& bound) {
  bind_items<T>(bound);
  bound
      // To ask for the coefficients of other components, given as features x topics.
      .def(
          "with_w",
          [](const FlatResult& result, const Array<T, 2>& w) {
            FlatResult other = result;
            other.model.w = to_matrix(w);
            return other;
          },
          nb::arg("w"))
      // The result after another batch, which becomes its items, and the sums A and B.
      .def(
          "take_in",
          [](const FlatResult& result, const Items<T>& x, const Array<double, 2>& a, const Array<T, 2>& b, double keep,
             std::vector<std::string> feature_names, int threads) {
            FlatResult next = result;
            OnlineNmf<T> model{result.model.w.as<T>(), to_matrix(a), to_matrix(b)};
            Supervisor().run(threads, [&] {
              Matrix<T> h = take_in(model, x.data(), keep);
              next.report.relative_error = relative_error(x.data(), model.w, h);
              next.model.h = std::move(h);
              next.model.w = model.w;
              next.model.items = x.model_items(std::move(feature_names));
              RunReport& report = next.report;
              report.cols = x.items();
              report.nonzeros = x.data().nonzeros();
              describe(next);
              name_topics(x, next);
            });
            return nb::make_tuple(std::move(next), python::to_numpy(std::move(model.a)),
                                  python::to_numpy(std::move(model.b)));
          },
          nb::arg("items"), nb::arg("a"), nb::arg("b"), nb::arg("keep"), nb::arg("feature_names"), nb::arg("threads"));
  // The coefficients of items for given components, features x k.
  module.def(
      "coefficients",
      [](const Items<T>& x, const Array<T, 2>& w, const std::string& loss, int threads) {
        const bool by_divergence = choice_of<Loss>("loss", loss) == Loss::kullback_leibler;
        Matrix<T> h;
        Supervisor().run(threads, [&] {
          const Matrix<T> components = to_matrix(w);
          h = by_divergence ? assign_items_by_divergence<T>(x.data(), components)
                            : assign_items<T>(x.data(), components);
        });
        return python::to_numpy(std::move(h));
      },
      nb::arg("items"), nb::arg("w"), nb::arg("loss"), nb::arg("threads"));
  module.def(
      "factor",
      [](const Items<T>& x, const nb::dict& settings, Index rank, std::uint64_t seed, bool dc, int consensus,
         double consensus_distance, const std::optional<Array<T, 2>>& w, const std::optional<Array<T, 2>>& h,
         const nb::object& joint, std::vector<std::string> feature_names, const nb::object& processes,
         const std::string& line, int threads, const nb::object& progress, bool keep_interrupted) {
        FlatRunOptions options;
        take(settings, options.nmf);
        options.command = x.is_text() ? "topics" : "factor";
        options.exact_items = x.is_text() || dc;  // few iterations leave H behind W
        options.input = x.input();
        options.nmf.rank = rank;
        options.nmf.seed = seed;
        options.dc = dc;
        options.consensus.runs = consensus;
        if (consensus > 0) options.consensus.most_distance = consensus_distance;
        const JointArrays<T> given = joint.is_none() ? JointArrays<T>{} : to_joint_arrays<T>(nb::cast<nb::dict>(joint));
        std::optional<ProcessTeam> team;
        if (!processes.is_none()) options.team = &team.emplace(processes);
        // Of several processes none stops alone: Ctrl-C is heard between iterations, and all agree on it.
        Supervisor supervisor(keep_interrupted || team);
        options.nmf.progress = asks<Iteration>(supervisor, progress);
        FlatResult result;
        supervisor.run(threads, [&] {
          std::optional<StartFactors<T>> start;
          if (w && h) start.emplace(StartFactors<T>{to_matrix(*w), to_matrix(*h)});
          with_graph(x, given, options.joint, [&](const RunData<T>& data, std::vector<std::string>& notes) {
            result = run_flat(options, data, x.model_items(std::move(feature_names)), std::move(start));
            result.report.notes.insert(result.report.notes.end(), notes.begin(), notes.end());
          });
          result.report.line = line;
          if (!x.is_text() && !team) uninterrupted([&] { name_topics(x, result); });
        });
        return result;
      },
      nb::arg("items"), nb::arg("settings"), nb::kw_only(), nb::arg("rank"), nb::arg("seed"), nb::arg("dc") = false,
      nb::arg("consensus") = 0, nb::arg("consensus_distance") = ConsensusOptions{}.most_distance,
      nb::arg("w") = nb::none(), nb::arg("h") = nb::none(), nb::arg("joint") = nb::none(), nb::arg("feature_names"),
      nb::arg("processes") = nb::none(), nb::arg("line"), nb::arg("threads"), nb::arg("progress").none(),
      nb::arg("keep_interrupted"));
}

}  // namespace

void bind_flat_results(nb::module_& module) {
  nb::class_<Iteration>(module, "Iteration")
      .def_ro("number", &Iteration::number)
      .def_ro("relative_error", &Iteration::relative_error)
      .def_ro("projected_gradient_ratio", &Iteration::projected_gradient_ratio)
      .def_ro("seconds", &Iteration::seconds);
  auto bound = bind_result<FlatResult>(module, "FlatResult");
  bound.def_prop_ro("h", [](const FlatResult& result) { return to_numpy(result.model.h); })
      .def_prop_ro("penalty",
                   [](const FlatResult& result) { return python::to_numpy(std::vector(result.model.penalty)); })
      .def_prop_ro("baseline",
                   [](const FlatResult& result) {
                     return std::visit([](auto values) { return nb::object(python::to_numpy(std::move(values))); },
                                       result.model.baseline.values());
                   })
      .def_prop_ro("history", [](const FlatResult& result) { return history_to_numpy(result.report.history); })
      // What many runs have in common; None: nobody asked.
      .def_prop_ro("consensus", [](const FlatResult& result) { return to_python(result.report.consensus); });
  bind_flat<float>(module, bound);
  bind_flat<double>(module, bound);
  module.attr("FlatResultFloat") = module.attr("FlatResultDouble") = bound;  // in pickles of before
}

}  // namespace copse::python
