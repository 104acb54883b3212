// All methods on the same data. Each method runs in a process of its own: Python starts them, and this is what they
// call.
#include <nanobind/stl/pair.h>

#include <cmath>

#include "copse/base/precision.h"
#include "copse/input/choices.h"
#include "copse/methods/choices.h"
#include "copse/report/compare_report.h"
#include "copse/run/compare_run.h"
#include "python/src/rivals.h"
#include "python/src/supervisor.h"

namespace copse::python {
namespace {

CompareOptions options_in(const nb::dict& given) {
  CompareOptions options;
  const auto path = nb::cast<std::string>(given["path"]);
  const bool text = nb::cast<bool>(given["text"]);
  options.input = nb::cast<bool>(given["documents"]) ? documents_at(path) : matrix_at(path);
  if (!options.input.documents) {
    options.input.reading.items = copse::Items::rows;
    if (text) options.input.prepare = text_preparation();
    options.input.truth = nb::cast<std::string>(given["truth"]);
  }
  options.methods = nb::cast<std::vector<std::string>>(given["methods"]);
  options.ks = nb::cast<std::vector<Index>>(given["ks"]);
  options.runs = nb::cast<int>(given["runs"]);
  options.seed = nb::cast<std::uint64_t>(given["seed"]);
  options.time_limit = nb::cast<double>(given["time_limit"]);
  for (const auto& [name, file] : nb::cast<std::vector<std::pair<std::string, std::string>>>(given["labels"]))
    options.labels.push_back({name, file});
  if (options.methods.empty()) options.methods = suitable_methods(options.input, std::isfinite(options.time_limit));
  return options;
}

// One method with one k, as a line of JSON.
std::string compare_line(const nb::dict& given, const std::string& method, Index k, int threads) {
  const CompareOptions options = options_in(given);
  CompareOutcome outcome;
  Supervisor().run(threads, [&] { outcome = compare_one<float>(options, method, k); });
  return outcome_line(outcome, compare_key(options, Precision::single));
}

// The comparison of what the lines say, as the JSON of result.json; and as files, where there is a folder.
std::string compare_result(const nb::dict& given, const std::vector<std::string>& lines, const std::string& folder,
                           bool force, int threads) {
  const CompareOptions options = options_in(given);
  Comparison comparison = begin_comparison(options, Precision::single, "the data");
  comparison.threads = threads;
  const std::string key = compare_key(options, Precision::single);
  for (const std::string& line : lines) {
    if (auto outcome = outcome_in(line, key)) comparison.outcomes.push_back(std::move(*outcome));
  }
  Supervisor().run(threads, [&] {
    std::vector<CompareOutcome> others;
    comparison.items = compare_items<float>(options, others);
    for (CompareOutcome& outcome : others) comparison.outcomes.push_back(std::move(outcome));
    if (!folder.empty()) {
      OutputFolder output(folder, force);
      write_result(output, comparison);
    }
  });
  return compare_json(comparison);
}

// The line of a method that failed.
std::string failed_line(const nb::dict& given, const std::string& method, Index k, const std::string& sentence) {
  return outcome_line({.method = method, .k = k, .failure = sentence},
                      compare_key(options_in(given), Precision::single));
}

}  // namespace

void bind_comparison(nb::module_& module) {
  module.def("compare_methods", &compare_methods);
  module.def("suitable_methods", [](const nb::dict& given) { return options_in(given).methods; });
  module.def("compare_line", &compare_line, nb::arg("options"), nb::arg("method"), nb::arg("k"), nb::arg("threads"));
  module.def("failed_line", &failed_line, nb::arg("options"), nb::arg("method"), nb::arg("k"), nb::arg("sentence"));
  module.def("compare_result", &compare_result, nb::arg("options"), nb::arg("lines"), nb::arg("folder"),
             nb::arg("force"), nb::arg("threads"));
}

}  // namespace copse::python
