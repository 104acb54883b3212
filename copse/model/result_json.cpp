#include "copse/model/result_json.h"

#include <cmath>
#include <limits>

#include "copse/measure/measure.h"
#include "copse/methods/choices.h"
#include "copse/model/json_fields.h"
#include "copse/model/survey_text.h"

namespace copse {

// ---- the fields, each once

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, Seconds>
void fields(Archive& json, Of& seconds) {
  json.field("read", seconds.read);
  json.field("prepare", seconds.prepare);
  json.field("solve", seconds.solve);
  json.told("write", seconds.write);
  json.told("total", seconds.total);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, ClusteringMeasures>
void fields(Archive& json, Of& measures) {
  for (const Measure& measure : agreement_measures()) json.field(measure.name.c_str(), measures.*measure.agreement);
  json.field("items", measures.items);
  json.field("clusters", measures.clusters);
  json.field("classes", measures.classes);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, ConsensusOfRuns>
void fields(Archive& json, Of& consensus) {
  json.field("runs", consensus.runs);
  json.field("neighbours", consensus.neighbours);
  json.field("distances", consensus.distances);
  json.field("groups", consensus.groups);
  json.field("silhouettes", consensus.silhouettes);
  json.field("shares", consensus.shares);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, Iteration>
void fields(Archive& json, Of& iteration) {
  json.field("iteration", iteration.number);
  json.field("relative_error", iteration.relative_error);
  json.field("projected_gradient_ratio", iteration.projected_gradient_ratio);
  json.field("seconds", iteration.seconds);
}

namespace {

// JSON has no infinity: null is a limit that does not exist, and the lowest of all scores.
OrderedJson finite_or_null(double value) { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr); }

double infinite(const std::string& name) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return name == "min_score" ? -infinity : infinity;
}

Settings settings_in(const OrderedJson& object) {
  Settings all;
  for (const auto& [name, value] : object.items()) {
    if (value.is_boolean()) all.emplace_back(name, value.get<bool>());
    if (value.is_number_integer()) all.emplace_back(name, value.get<std::int64_t>());
    if (value.is_number_float()) all.emplace_back(name, value.get<double>());
    if (value.is_string()) all.emplace_back(name, value.get<std::string>());
    if (value.is_null()) all.emplace_back(name, infinite(name));
  }
  return all;
}

OrderedJson list_of(const std::vector<Ranked>& ranked, const char* called) {
  OrderedJson list = OrderedJson::array();
  for (const Ranked& entry : ranked) list.push_back({{called, entry.name}, {"weight", entry.weight}});
  return list;
}

OrderedJson json_of(const Topic& topic, std::size_t number) {
  OrderedJson json = {{"cluster", number}, {"items", topic.size}};
  if (const auto& community = topic.community) {
    json["overlapping"] = community->overlapping;
    json["inside"] = community->inside;
    json["leaving"] = community->leaving;
    json["conductance"] = community->conductance;
    json["label"] = topic.label;
    json["central"] = list_of(topic.representatives, "item");
    json["neighbours"] = OrderedJson::array();
    for (const auto& [other, weight] : community->neighbours)
      json["neighbours"].push_back({{"cluster", other}, {"weight", weight}});
  }
  if (!topic.community || !topic.words.empty()) json["top_features"] = list_of(topic.words, "feature");
  if (!topic.label.empty()) json["label"] = topic.label;
  if (!topic.main_class.empty()) json["main_class"] = {{"name", topic.main_class}, {"share", topic.main_class_share}};
  if (topic.stability) json["stability"] = *topic.stability;
  if (topic.coherence) json["coherence"] = *topic.coherence;
  return json;
}

OrderedJson json_of(const std::vector<Topic>& topics) {
  OrderedJson list = OrderedJson::array();
  for (const Topic& topic : topics) list.push_back(json_of(topic, list.size()));
  return list;
}

OrderedJson json_of(const GraphFacts& facts) {
  return {{"nodes", facts.nodes},
          {"edges", facts.edges},
          {"components", facts.components},
          {"isolated", facts.isolated},
          {"pieces_set_aside", facts.pieces},
          {"nodes_set_aside", facts.nodes_set_aside},
          {"labels", facts.labels_of_start ? "start" : "factor"}};
}

// All but the settings, the survey, and what the model tells again.
template <class Archive, class Of>
void basic_fields(Archive& json, Of& report) {
  json.some("kind", report.kind);
  json.field("command", report.command);
  json.field("version", report.version);
  json.field("seed", report.seed);
  json.field("threads", report.threads);
  json.field("k", report.k);
  json.field("rows", report.rows);
  json.field("cols", report.cols);
  json.field("nonzeros", report.nonzeros);
  json.field("iterations", report.iterations);
  json.field("relative_error", report.relative_error);
  json.field("projected_gradient_ratio", report.projected_gradient_ratio);
  json.inside("runs", [&](auto&& runs) {
    runs.field("relative_errors", report.run_errors);
    runs.field("best", report.best_run);
    if (report.objective)
      runs.field("objectives", report.run_objectives);
    else
      runs.some("objectives", report.run_objectives);
  });
  json.field("seconds", report.seconds);
  json.told("peak_memory_bytes", report.peak_memory_bytes);
  json.field("objective", report.objective);
  json.field("measures", report.measures);
  json.told("leaf_measures", report.leaf_measures);
  json.field("consensus", report.consensus);
  json.some("line", report.line);
  json.inside("zero_share", [&](auto&& share) {
    share.field("w", report.w_zero_share);
    share.field("h", report.h_zero_share);
  });
  json.told("items_without_cluster", report.items_without_cluster);
  json.field("notes", report.notes);
}

}  // namespace

OrderedJson json_of(const Settings& settings) {
  OrderedJson object = OrderedJson::object();
  for (const auto& [name, setting] : settings) {
    if (const double* number = std::get_if<double>(&setting)) {
      object[name] = finite_or_null(*number);
    } else {
      std::visit([&, &key = name](const auto& value) { object[key] = value; }, setting);
    }
  }
  return object;
}

OrderedJson json_of(const ClusteringMeasures& measures) { return json_of_fields(measures); }

ClusteringMeasures measures_in(const OrderedJson& json) {
  ClusteringMeasures measures;
  const JsonReader reader(json);
  fields(reader, measures);
  return measures;
}

OrderedJson json_of(const RunReport& report) {
  JsonWriter writer;
  basic_fields(writer, report);
  OrderedJson json = {{"kind", report.kind},
                      {"command", report.command},
                      {"version", report.version},
                      {"settings", json_of(report.settings)}};
  json.update(writer.take());
  json["stop_reason"] = name_of(report.stop_reason);
  if (!report.engine.empty()) json["engine"] = report.engine;
  if (report.estimated_memory_bytes > 0) json["estimated_memory_bytes"] = report.estimated_memory_bytes;
  if (report.survey) json["survey"] = json_of(*report.survey);
  if (!report.survey && !report.stored_survey.empty()) json["survey"] = OrderedJson::parse(report.stored_survey);
  if (report.graph) {
    json["modularity"] = report.graph->modularity;
    json["normalized_cut"] = report.graph->normalized_cut;
    json["conductance"] = report.graph->conductance;
    json["coverage"] = report.graph->coverage;
    json["graph"] = json_of(*report.graph);
  }
  json[report.graph ? "communities" : "topics"] = json_of(report.topics);
  JsonWriter history;
  history.field("history", report.history);
  json.update(history.take());
  return json;
}

std::string indented(const OrderedJson& json, int spaces) {
  return json.dump(spaces, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string to_json(const Settings& settings) { return indented(json_of(settings)); }

std::string to_json(const ClusteringMeasures& measures) { return indented(json_of(measures)); }

std::string to_json(const RunReport& report) { return indented(json_of(report)); }

RunReport report_in(const OrderedJson& root) {
  RunReport report;
  const JsonReader reader(root);
  basic_fields(reader, report);
  reader.field("history", report.history);
  report.settings = settings_in(root["settings"]);
  std::string reason;
  reader.field("stop_reason", reason);
  for (const auto& [name, value] : choices<StopReason>()) {
    if (name == reason) report.stop_reason = value;
  }
  if (root.contains("survey")) report.stored_survey = root["survey"].dump();
  return report;
}

}  // namespace copse
