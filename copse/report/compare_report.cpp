#include "copse/report/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "copse/base/error.h"
#include "copse/base/version.h"
#include "copse/io/json_value.h"
#include "copse/io/log_files.h"
#include "copse/io/result_folder.h"
#include "copse/methods/choices.h"
#include "copse/model/json_fields.h"
#include "copse/model/result_json.h"
#include "copse/model/stored_result.h"
#include "copse/options/wording.h"
#include "copse/report/page.h"
#include "copse/report/page_text.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

// Items of which the page holds labels and titles.
constexpr std::size_t most_page_items = 20000;
constexpr Index title_bytes = 120;

// Without its labels, words and measures.
template <class Archive, class Of>
void visit_fields(Archive& json, Of& outcome) {
  json.field("method", outcome.method);
  json.field("k", outcome.k);
  json.some("given", outcome.given);
  json.some("failure", outcome.failure);
  json.some("left_out", outcome.left_out);
  json.some("estimated_seconds", outcome.estimate);
  if (!outcome.failure.empty()) return;
  json.field("clusters", outcome.clusters);
  if (!outcome.given) {
    json.field("runs", outcome.runs);
    json.field("iterations", outcome.iterations);
    json.field("seconds", outcome.seconds);
    json.field("objective", outcome.objective);
    json.field("peak_memory_bytes", outcome.peak_memory_bytes);
  }
  for (const Measure& measure : measures()) {
    if (measure.agreement == nullptr) json.field(measure.name.c_str(), *own_measure(outcome, measure.name));
  }
}

Json json_of(const CompareOutcome& outcome) {
  JsonWriter writer;
  visit_fields(writer, outcome);
  Json object = writer.take();
  if (outcome.measures && outcome.failure.empty()) object["measures"] = json_of(*outcome.measures);
  return object;
}

CompareOutcome outcome_of(const Json& object) {
  CompareOutcome outcome;
  const JsonReader reader(object);
  visit_fields(reader, outcome);
  if (outcome.method.empty()) throw InputError("there is a method without a name.");
  if (object.contains("measures")) outcome.measures = measures_in(object["measures"]);
  return outcome;
}

Json agreement_of(const Comparison& comparison) {
  const Matrix<double> nmi = agreement(comparison.outcomes, comparison.items);
  Json rows = Json::array();
  for (Index a = 0; a < nmi.rows(); ++a) {
    Json row = Json::array();
    for (Index b = 0; b < nmi.cols(); ++b) row.push_back(std::isfinite(nmi(a, b)) ? Json(rounded(nmi(a, b))) : Json());
    rows.push_back(std::move(row));
  }
  return rows;
}

// The columns of the page's table.
Json measures_of_page() {
  Json rows = Json::array();
  for (const Measure& measure : measures()) {
    if (measure.title.empty()) continue;
    const char* const better = measure.better == Better::higher  ? "higher"
                               : measure.better == Better::lower ? "lower"
                                                                 : "neither";
    rows.push_back({{"name", measure.name},
                    {"title", measure.title},
                    {"meaning", measure.meaning},
                    {"digits", measure.digits},
                    {"better", better}});
  }
  return rows;
}

std::string page_of(const Comparison& comparison) {
  const CompareItems& items = comparison.items;
  // An even sample of the items that were kept.
  std::vector<std::size_t> kept, inside;
  for (std::size_t i = 0; i < items.kept.size(); ++i) {
    if (items.kept[i]) kept.push_back(i);
  }
  const std::size_t step = std::max<std::size_t>(1, (kept.size() + most_page_items - 1) / most_page_items);
  for (std::size_t i = 0; i < kept.size(); i += step) inside.push_back(kept[i]);
  Json titles = Json::array();
  for (const std::size_t i : inside) {
    const bool titled = i < items.titles.size() && !items.titles[i].empty();
    titles.push_back(shortened(one_line(titled ? items.titles[i] : items.names[i]), title_bytes));
  }
  Json methods = Json::array();
  for (const CompareOutcome& outcome : comparison.outcomes) {
    Json object = json_of(outcome);
    if (outcome.failure.empty() && !outcome.labels.empty()) {
      std::vector<std::uint16_t> labels;
      for (const std::size_t i : inside) {
        const Index label = outcome.labels[i];
        labels.push_back(label < 0 || label >= 65535 ? std::uint16_t(65535) : static_cast<std::uint16_t>(label));
      }
      object["labels"] = base64(labels);
      Json words = Json::array();
      for (const auto& list : outcome.words) words.push_back(list);
      object["words"] = words;
    }
    methods.push_back(std::move(object));
  }
  const std::string& called = comparison.called;
  Json data = json_of(PageHead{.title = "Methods on " + called,
                               .command = "copse compare " + called,
                               .settings = comparison.settings,
                               .facts = {{"items", counted(static_cast<Index>(kept.size()))}, {"version", version()}},
                               .notes = comparison.notes});
  data["kind"] = "comparison";
  data["items"] = kept.size();
  data["titles"] = titles;
  data["measures"] = measures_of_page();
  data["methods"] = methods;
  data["agreement"] = agreement_of(comparison);
  return page_around(script_json(data));
}

}  // namespace

std::string outcome_line(const CompareOutcome& outcome, const std::string& key) {
  Json object = json_of(outcome);
  object["labels"] = outcome.labels;
  object["words"] = outcome.words;
  object["key"] = key;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<CompareOutcome> outcome_in(const std::string& line, const std::string& key) {
  try {
    const Json object = Json::parse(line);
    if (object.value("key", std::string()) != key) return {};
    CompareOutcome outcome = outcome_of(object);
    outcome.labels = checked_list<Index>(object.at("labels"));
    outcome.words = object.at("words").get<std::vector<std::vector<std::string>>>();
    return outcome;
  } catch (const nlohmann::json::exception&) {
    return {};
  } catch (const InputError&) {
    return {};
  }
}

std::string compare_tsv(const Comparison& comparison) {
  std::string text = "method\tk\tclusters\truns\tseconds\tpeak_memory_bytes\tobjective";
  for (const Measure& measure : measures()) text += measure.compared ? "\t" + measure.name : "";
  text += "\tnote\n";
  for (const CompareOutcome& outcome : comparison.outcomes) {
    text += fmt::format("{}\t{}\t{}\t{}\t{:.6g}\t{}\t{:.9g}", one_line(outcome.method), outcome.k, outcome.clusters,
                        outcome.runs, outcome.seconds, outcome.peak_memory_bytes, outcome.objective);
    for (const Measure& measure : measures()) {
      const std::optional<double> value = value_of(outcome, measure);
      if (measure.compared) text += value ? fmt::format("\t{:.6g}", *value) : "\t";
    }
    text += "\t" + one_line(outcome.failure) + "\n";
  }
  return text;
}

std::string compare_json(const Comparison& comparison) {
  Json methods = Json::array();
  for (const CompareOutcome& outcome : comparison.outcomes) methods.push_back(json_of(outcome));
  const Json root = {{"kind", "comparison"},
                     {"command", comparison.command},
                     {"version", version()},
                     {"settings", json_of(comparison.settings)},
                     {"seed", comparison.seed},
                     {"threads", comparison.threads},
                     {"k", comparison.ks},
                     {"cols", std::ranges::count(comparison.items.kept, char(1))},
                     {"stop_reason", comparison.interrupted ? "interrupted" : "converged"},
                     {"seconds", {{"total", comparison.clock.seconds()}}},
                     {"methods", methods},
                     {"agreement", agreement_of(comparison)},
                     {"notes", comparison.notes}};
  return indented(root);
}

bool holds_comparison(const std::string& folder) {
  return std::filesystem::exists(place_in_result(folder, comparison_table_file));
}

StoredComparison read_comparison(const std::string& folder) {
  const std::string path = place_in_result(folder, "result.json").string();
  StoredComparison stored;
  std::ifstream file(path, std::ios::binary);
  stored.json.assign(std::istreambuf_iterator<char>(file), {});
  try {
    const Json root = Json::parse(stored.json);
    for (const Json& method : root.at("methods")) stored.outcomes.push_back(outcome_of(method));
    const auto count = static_cast<Index>(stored.outcomes.size());
    stored.agreement = Matrix<double>(count, count);
    for (Index a = 0; a < count; ++a) {
      for (Index b = 0; b < count; ++b) {
        const Json& value = root.at("agreement").at(static_cast<std::size_t>(a)).at(static_cast<std::size_t>(b));
        stored.agreement(a, b) = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
      }
    }
  } catch (const std::exception&) {
    throw InputError(path + " is not the result of a comparison.");
  }
  return stored;
}

void write_result(OutputFolder& folder, const Comparison& comparison, bool page) {
  folder.add(comparison_table_file).write(compare_tsv(comparison));
  std::string rows = "item";
  for (const CompareOutcome& outcome : comparison.outcomes) {
    if (outcome.failure.empty())
      rows += outcome.given ? "\t" + one_line(outcome.method) : fmt::format("\t{}:{}", outcome.method, outcome.k);
  }
  rows += "\n";
  for (std::size_t i = 0; i < comparison.items.names.size(); ++i) {
    rows += one_line(comparison.items.names[i]);
    for (const CompareOutcome& outcome : comparison.outcomes) {
      if (outcome.failure.empty()) rows += fmt::format("\t{}", i < outcome.labels.size() ? outcome.labels[i] : -1);
    }
    rows += "\n";
  }
  folder.add("assignments.tsv").write(rows);
  if (page && page_is_built()) folder.add("report.html").write(page_of(comparison));
  folder.add("result.json").write(compare_json(comparison));
  folder.keep(comparison_runs_file);
  folder.commit();
}

}  // namespace copse
