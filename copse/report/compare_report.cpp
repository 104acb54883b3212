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
#include "copse/model/stored_result.h"
#include "copse/options/wording.h"
#include "copse/report/page.h"
#include "copse/report/page_text.h"
#include "copse/report/result_json.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

// Items of which the page holds labels and titles.
constexpr std::size_t most_page_items = 20000;
constexpr Index title_bytes = 120;

template <class Value>
void put(Json& object, const char* name, const std::optional<Value>& value) {
  if (value && std::isfinite(*value)) object[name] = *value;
}
template <class Value>
Value whole(const Json& object, const char* name) {
  return object.contains(name) ? checked_value<Value>(object[name]) : Value(0);
}
template <class Value>
void take(const Json& object, const char* name, std::optional<Value>& value) {
  if (object.contains(name)) value = checked_value<Value>(object[name]);
}

Json outcome_json(const ClusteringMeasures& measures) { return Json::parse(to_json(measures)); }

ClusteringMeasures measures_in(const Json& object) {
  ClusteringMeasures measures;
  measures.items = whole<Index>(object, "items");
  measures.clusters = whole<Index>(object, "clusters");
  measures.classes = whole<Index>(object, "classes");
  measures.accuracy = object.value("accuracy", 0.0);
  measures.nmi = object.value("nmi", 0.0);
  measures.ari = object.value("ari", 0.0);
  measures.purity = object.value("purity", 0.0);
  measures.entropy = object.value("entropy", 0.0);
  return measures;
}

// Without its labels.
Json outcome_json(const CompareOutcome& outcome) {
  Json object = {{"method", outcome.method}, {"k", outcome.k}};
  if (outcome.given) object["given"] = true;
  if (!outcome.failure.empty()) object["failure"] = outcome.failure;
  if (outcome.left_out) object["left_out"] = true;
  if (outcome.estimate > 0) object["estimated_seconds"] = outcome.estimate;
  if (outcome.failure.empty()) {
    object["clusters"] = outcome.clusters;
    if (!outcome.given) {
      object["runs"] = outcome.runs;
      object["iterations"] = outcome.iterations;
      object["seconds"] = outcome.seconds;
      object["objective"] = outcome.objective;
      object["peak_memory_bytes"] = outcome.peak_memory_bytes;
    }
    if (outcome.measures) object["measures"] = outcome_json(*outcome.measures);
    put(object, "mean_accuracy", outcome.mean_accuracy);
    put(object, "mean_nmi", outcome.mean_nmi);
    put(object, "coherence", outcome.coherence);
    put(object, "zero_share", outcome.zero_share);
    put(object, "silhouette", outcome.silhouette);
    put(object, "stability", outcome.stability);
  }
  return object;
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
    Json object = outcome_json(outcome);
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
  Json settings = Json::parse(to_json(comparison.settings));
  const std::string& called = comparison.called;
  const Json data = {{"format", 1},
                     {"kind", "comparison"},
                     {"title", "Methods on " + called},
                     {"command", "copse compare " + called},
                     {"settings", settings},
                     {"facts", Json::array({Json::array({"items", counted(static_cast<Index>(kept.size()))}),
                                            Json::array({"version", version()})})},
                     {"notes", comparison.notes},
                     {"items", kept.size()},
                     {"titles", titles},
                     {"methods", methods},
                     {"agreement", agreement_of(comparison)}};
  return page_around(script_json(data));
}

// Without labels and words.
CompareOutcome outcome_of(const Json& object) {
  CompareOutcome outcome;
  outcome.method = object.at("method").get<std::string>();
  outcome.k = checked_value<Index>(object.at("k"));
  outcome.failure = object.value("failure", std::string());
  outcome.left_out = object.value("left_out", false);
  outcome.given = object.value("given", false);
  outcome.estimate = object.value("estimated_seconds", 0.0);
  outcome.clusters = whole<Index>(object, "clusters");
  outcome.runs = whole<int>(object, "runs");
  outcome.iterations = whole<int>(object, "iterations");
  outcome.seconds = object.value("seconds", 0.0);
  outcome.objective = object.value("objective", 0.0);
  outcome.peak_memory_bytes = whole<Index>(object, "peak_memory_bytes");
  if (object.contains("measures")) outcome.measures = measures_in(object["measures"]);
  take(object, "mean_accuracy", outcome.mean_accuracy);
  take(object, "mean_nmi", outcome.mean_nmi);
  take(object, "coherence", outcome.coherence);
  take(object, "zero_share", outcome.zero_share);
  take(object, "silhouette", outcome.silhouette);
  take(object, "stability", outcome.stability);
  return outcome;
}

}  // namespace

std::string outcome_line(const CompareOutcome& outcome, const std::string& key) {
  Json object = outcome_json(outcome);
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
  }
}
std::string compare_tsv(const Comparison& comparison) {
  std::string text =
      "method\tk\tclusters\truns\tseconds\tpeak_memory_bytes\tobjective\taccuracy\tnmi\tari\tpurity\tmean_accuracy\t"
      "mean_nmi\tcoherence\tsilhouette\tstability\tzero_share\tnote\n";
  const auto cell = [](const std::optional<double>& value) {
    return value && std::isfinite(*value) ? fmt::format("\t{:.6g}", *value) : std::string("\t");
  };
  for (const CompareOutcome& outcome : comparison.outcomes) {
    const auto& measures = outcome.measures;
    const auto of = [&](double ClusteringMeasures::*member) {
      return measures ? std::optional((*measures).*member) : std::nullopt;
    };
    text += fmt::format("{}\t{}\t{}\t{}\t{:.6g}\t{}\t{:.9g}", one_line(outcome.method), outcome.k, outcome.clusters,
                        outcome.runs, outcome.seconds, outcome.peak_memory_bytes, outcome.objective);
    text += cell(of(&ClusteringMeasures::accuracy)) + cell(of(&ClusteringMeasures::nmi)) +
            cell(of(&ClusteringMeasures::ari)) + cell(of(&ClusteringMeasures::purity)) + cell(outcome.mean_accuracy) +
            cell(outcome.mean_nmi) + cell(outcome.coherence) + cell(outcome.silhouette) + cell(outcome.stability) +
            cell(outcome.zero_share) + "\t" + one_line(outcome.failure) + "\n";
  }
  return text;
}

std::string compare_json(const Comparison& comparison) {
  Json methods = Json::array();
  for (const CompareOutcome& outcome : comparison.outcomes) methods.push_back(outcome_json(outcome));
  const Json root = {{"command", comparison.command},
                     {"version", version()},
                     {"settings", Json::parse(to_json(comparison.settings))},
                     {"seed", comparison.seed},
                     {"threads", comparison.threads},
                     {"k", comparison.ks},
                     {"cols", std::ranges::count(comparison.items.kept, char(1))},
                     {"stop_reason", comparison.interrupted ? "interrupted" : "converged"},
                     {"seconds", {{"total", comparison.clock.seconds()}}},
                     {"methods", methods},
                     {"agreement", agreement_of(comparison)},
                     {"notes", comparison.notes}};
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
  } catch (const nlohmann::json::exception&) {
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
