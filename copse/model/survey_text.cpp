#include "copse/model/survey_text.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "copse/base/error.h"
#include "copse/choose/choices.h"
#include "copse/choose/persistence.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view consensus_letters = "0123456789abcdefghijklmnopqrstuvwxyz";

using Cells = std::vector<std::pair<std::string, std::optional<double>>>;

void add(Cells& cells, const std::string& name, const std::optional<Spread>& spread) {
  cells.emplace_back(name, spread ? std::optional(spread->centre) : std::nullopt);
  cells.emplace_back(name + "_deviation", spread ? std::optional(spread->deviation) : std::nullopt);
}

void add(Cells& cells, const std::string& name, const std::optional<ConsensusMeasures>& consensus) {
  cells.emplace_back(name + "_cophenetic", consensus ? std::optional(consensus->cophenetic) : std::nullopt);
  cells.emplace_back(name + "_dispersion", consensus ? std::optional(consensus->dispersion) : std::nullopt);
  cells.emplace_back(name + "_ambiguous", consensus ? std::optional(consensus->ambiguous) : std::nullopt);
}

// The measures of one row by their names, for the table and for JSON alike.
Cells cells_of(const SurveyRow& row) {
  Cells cells;
  add(cells, "prediction_strength", row.strength);
  add(cells, "null_strength", row.null_strength);
  add(cells, "shuffled_strength", row.shuffled_strength);
  cells.emplace_back("gps", row.gps);
  cells.emplace_back("p_value", row.p_value);
  add(cells, "recurrence", row.recurrence);
  add(cells, "null_recurrence", row.null_recurrence);
  add(cells, "shuffled_recurrence", row.shuffled_recurrence);
  cells.emplace_back("recurrence_p_value", row.recurrence_p_value);
  add(cells, "returning", row.returning);
  add(cells, "resampled", row.resampled);
  add(cells, "starts", row.started);
  cells.emplace_back("silhouette", row.silhouette);
  cells.emplace_back("perturbed_silhouette", row.perturbed_silhouette);
  add(cells, "hidden_error", row.hidden_error);
  add(cells, "block_error", row.block_error);
  cells.emplace_back("relative_error", row.error);
  cells.emplace_back("separability", row.separability);
  cells.emplace_back("gap", row.gap);
  cells.emplace_back("gap_deviation", row.gap_deviation);
  return cells;
}

// One text for each item, a letter for each other: 0 ... 9, a ... z for 0 ... 100 %.
Json json_of(const ConsensusPicture& picture) {
  if (picture.items.empty()) return nullptr;
  const std::size_t n = picture.items.size();
  Json lines = Json::array();
  for (std::size_t i = 0; i < n; ++i) {
    std::string line;
    for (std::size_t j = 0; j < n; ++j) line += consensus_letters[(picture.percent[i * n + j] * 35 + 50) / 100];
    lines.push_back(line);
  }
  return {{"k", picture.k}, {"items", picture.items}, {"clusters", picture.clusters}, {"lines", lines}};
}

Json json_of(const Persistence& persistence) {
  if (persistence.values.empty()) return nullptr;
  Json rows = Json::array();
  for (const std::vector<double>& values : persistence.values) {
    Json row = Json::array();
    for (const double value : values) row.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
    rows.push_back(std::move(row));
  }
  return {{"ks", persistence.ks}, {"topics", persistence.topics}, {"values", std::move(rows)}};
}

}  // namespace

std::string survey_tsv(const SurveyTable& table) {
  std::string text = "k\truns\tfailed";
  for (const auto& [name, value] : cells_of({})) text += "\t" + name;
  text += "\n";
  for (const SurveyRow& row : table.rows) {
    text += fmt::format("{}\t{}\t{}", row.k, row.runs, row.failed);
    for (const auto& [name, value] : cells_of(row))
      text += value && std::isfinite(*value) ? fmt::format("\t{:.6g}", *value) : std::string("\t");
    text += "\n";
  }
  return text;
}

std::string survey_text(const RunReport& report) {
  return report.survey ? json_of(*report.survey).dump() : report.stored_survey;
}

std::string persistence_sentence(const RunReport& report) {
  if (report.survey) return sentence_on(report.survey->persistence, report.survey->verdict.question);
  const Json stored = Json::parse(report.stored_survey, nullptr, false);
  try {
    if (!stored.is_object() || !stored.contains("persistence") || stored["persistence"].is_null()) return "";
    const Json& json = stored["persistence"];
    Persistence persistence{.ks = json.at("ks"), .topics = json.at("topics"), .values = {}};
    for (const Json& row : json.at("values")) {
      std::vector<double>& values = persistence.values.emplace_back();
      for (const Json& value : row)
        values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
      if (values.size() != persistence.ks.size()) return "";
    }
    if (persistence.topics.size() != persistence.values.size()) return "";
    return sentence_on(persistence, choice_of<Question>("question", stored.at("question").get<std::string>()));
  } catch (const Json::exception&) {
    return "";
  } catch (const InvalidArgument&) {
    return "";
  }
}

Json json_of(const SurveyReport& survey) {
  const Verdict& verdict = survey.verdict;
  Json choices = Json::array();
  for (const Choice& choice : verdict.choices)
    choices.push_back({{"measure", choice.measure}, {"answers", name_of(choice.answers)}, {"k", choice.k}});
  Json flows = Json::array();
  for (const ClusterFlow& flow : survey.flows)
    flows.push_back({{"from", flow.from}, {"to", flow.to}, {"counts", flow.counts}});
  Json rows = Json::array();
  for (const SurveyRow& row : survey.table.rows) {
    Json entry = {{"k", row.k}, {"runs", row.runs}, {"failed", row.failed}};
    for (const auto& [name, value] : cells_of(row)) {
      if (value && std::isfinite(*value)) entry[name] = *value;
    }
    if (!row.silhouettes.empty()) entry["silhouettes"] = row.silhouettes;
    if (!row.perturbed_silhouettes.empty()) entry["perturbed_silhouettes"] = row.perturbed_silhouettes;
    rows.push_back(entry);
  }
  return {{"method", survey.method},
          {"question", name_of(verdict.question)},
          {"k", verdict.k},
          {"sentence", verdict.sentence},
          {"sure", verdict.sure},
          {"possible", verdict.possible},
          {"least", verdict.least},
          {"most", verdict.most},
          {"choices", choices},
          {"runs", {{"planned", survey.planned}, {"done", survey.done}}},
          {"failures", survey.failures},
          {"items", survey.items},
          {"items_in_consensus", survey.table.watched},
          {"rows", rows},
          {"flows", flows},
          {"consensus", json_of(survey.consensus)},
          {"persistence", json_of(survey.persistence)}};
}

}  // namespace copse
