// How many clusters: a survey of a range of k.
#include <nlohmann/json.hpp>

#include "copse/choose/linkage.h"
#include "copse/measure/component_match.h"
#include "copse/model/survey_text.h"
#include "copse/run/choose_run.h"
#include "copse/run/survey_method.h"
#include "python/src/items.h"
#include "python/src/results.h"
#include "python/src/settings.h"

namespace copse::python {
namespace {

template <class T>
void bind_survey_of(nb::module_& module) {
  // The survey as the JSON of result.json.
  module.def(
      "survey",
      [](const Items<T>& x, std::vector<Index> ks, const std::string& method, int runs, bool until_settled,
         const std::string& question, const std::string& null, const std::string& average, bool all_measures,
         const std::string& solver, bool affine, double alpha, double beta, double tolerance, int max_iterations,
         std::uint64_t seed, double time_limit, bool search, Index most_items, int threads) {
        ChooseRunOptions options;
        options.survey.ks = std::move(ks);
        options.method = &survey_method(method);
        options.survey.runs = runs;
        options.until_settled = until_settled;
        options.survey.seed = seed;
        options.survey.null = choice_of<Null>("null", null);
        options.question = choice_of<Question>("question", question);
        options.average = choice_of<Average>("average", average);
        options.flat.nmf.solver = choice_of<Solver>("solver", solver);
        options.flat.nmf.affine = affine;
        options.flat.nmf.alpha = alpha;
        options.flat.nmf.beta = beta;
        options.flat.nmf.tolerance = tolerance;
        options.flat.nmf.max_iterations = max_iterations;
        options.time_limit = time_limit;
        options.search = search;
        options.survey.most_items = most_items;
        options.all_measures = all_measures;
        std::string json;
        Supervisor().run(threads, [&] {
          SurveyReport report = run_whole_survey(x.dataset(), options);
          report.verdict.sentence = in_python(report.verdict.sentence);
          json = json_of(report).dump();
        });
        return json;
      },
      nb::arg("items"), nb::arg("ks"), nb::arg("method"), nb::arg("runs"), nb::arg("until_settled"),
      nb::arg("question"), nb::arg("null"), nb::arg("average"), nb::arg("all_measures"), nb::arg("solver"),
      nb::arg("affine"), nb::arg("alpha"), nb::arg("beta"), nb::arg("tolerance"), nb::arg("max_iterations"),
      nb::arg("seed"), nb::arg("time_limit"), nb::arg("search"), nb::arg("most_items"), nb::arg("threads"));
}

}  // namespace

void bind_survey(nb::module_& module) {
  bind_survey_of<float>(module);
  bind_survey_of<double>(module);
  module.def("survey_methods", [] { return names_of(survey_methods()); });
  module.def("automatic_range", &automatic_range, nb::arg("last"));
  // Rows: partner, cosine, nearest, its cosine.
  module.def(
      "match_components",
      [](const Array<double, 2>& components, const Array<double, 2>& references) {
        const auto matches = match_components(to_matrix(components), to_matrix(references));
        Matrix<double> rows(static_cast<Index>(matches.size()), 4);
        for (Index c = 0; c < rows.rows(); ++c) {
          const ComponentMatch& match = matches[static_cast<std::size_t>(c)];
          rows(c, 0) = static_cast<double>(match.partner);
          rows(c, 1) = match.cosine;
          rows(c, 2) = static_cast<double>(match.nearest);
          rows(c, 3) = match.nearest_cosine;
        }
        return to_numpy(std::move(rows));
      },
      nb::arg("components"), nb::arg("references"));
  // Of a full matrix of distances with its average linkage.
  module.def(
      "cophenetic_correlation",
      [](const Array<double, 2>& given) {
        const Matrix<double> full = to_matrix(given);
        PairDistances distances{.items = full.rows(), .values = {}};
        for (Index i = 0; i < full.rows(); ++i) {
          for (Index j = i + 1; j < full.cols(); ++j) distances.values.push_back(full(i, j));
        }
        return correlation(distances.values, average_linkage(distances).cophenetic().values);
      },
      nb::arg("distances"));
}

}  // namespace copse::python
