#include "copse/report/result_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "copse/options/choices.h"
#include "copse/report/survey_report.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity; a limit that does not exist is null.
Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const Settings& settings) {
  Json object = Json::object();
  for (const auto& [name, setting] : settings) {
    if (const double* number = std::get_if<double>(&setting)) {
      object[name] = finite_or_null(*number);
    } else {
      std::visit([&, &key = name](const auto& value) { object[key] = value; }, setting);
    }
  }
  return object;
}

Json json_of(const ClusteringMeasures& measures) {
  return {{"accuracy", measures.accuracy}, {"nmi", measures.nmi},         {"ari", measures.ari},
          {"purity", measures.purity},     {"entropy", measures.entropy}, {"items", measures.items},
          {"clusters", measures.clusters}, {"classes", measures.classes}};
}

Json json_of(std::span<const Topic> topics) {
  Json list = Json::array();
  for (const Topic& topic : topics) {
    Json features = Json::array();
    for (const auto& [feature, weight] : topic.top_features)
      features.push_back({{"feature", feature}, {"weight", weight}});
    Json entry = {{"cluster", list.size()}, {"items", topic.items}, {"top_features", features}};
    if (!topic.label.empty()) entry["label"] = topic.label;
    if (!topic.main_class.empty())
      entry["main_class"] = {{"name", topic.main_class}, {"share", topic.main_class_share}};
    if (topic.stability) entry["stability"] = *topic.stability;
    if (topic.coherence) entry["coherence"] = *topic.coherence;
    list.push_back(entry);
  }
  return list;
}

Json json_of(std::span<const Iteration> history) {
  Json list = Json::array();
  for (const Iteration& iteration : history) {
    list.push_back({{"iteration", iteration.number},
                    {"relative_error", iteration.relative_error},
                    {"projected_gradient_ratio", iteration.projected_gradient_ratio},
                    {"seconds", iteration.seconds}});
  }
  return list;
}

Json json_of(const GraphFacts& facts) {
  return {{"nodes", facts.nodes},
          {"edges", facts.edges},
          {"components", facts.components},
          {"isolated", facts.isolated},
          {"pieces_set_aside", facts.pieces},
          {"nodes_set_aside", facts.nodes_set_aside},
          {"labels", facts.labels_of_start ? "start" : "factor"}};
}

Json json_of(std::span<const Community> communities) {
  Json list = Json::array();
  for (const Community& community : communities) {
    Json central = Json::array(), neighbours = Json::array();
    for (const CommunityNode& node : community.central)
      central.push_back({{"item", node.name}, {"weight", node.weight}});
    for (const CommunityLink& link : community.neighbours)
      neighbours.push_back({{"cluster", link.community}, {"weight", link.weight}});
    Json entry = {{"cluster", list.size()},     {"items", community.nodes},      {"overlapping", community.overlapping},
                  {"inside", community.inside}, {"leaving", community.leaving},  {"conductance", community.conductance},
                  {"label", community.label},   {"central", std::move(central)}, {"neighbours", std::move(neighbours)}};
    if (!community.top_features.empty()) {
      Json features = Json::array();
      for (const auto& [feature, weight] : community.top_features)
        features.push_back({{"feature", feature}, {"weight", weight}});
      entry["top_features"] = std::move(features);
    }
    if (!community.main_class.empty())
      entry["main_class"] = {{"name", community.main_class}, {"share", community.main_class_share}};
    list.push_back(std::move(entry));
  }
  return list;
}

// Names may hold any bytes; those that are not UTF-8 become U+FFFD.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Shortest text that reads back as the same float: no more digits than a weight carries.
void append_number(std::string& text, double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<float>(value)).ptr;
  text.append(digits.data(), end);
}

void append_name(std::string& text, const std::string& name) {
  for (const char c : name) text.push_back(c == '\t' || c == '\n' || c == '\r' ? ' ' : c);
}

}  // namespace

std::string to_json(const ClusteringMeasures& measures) { return dump(json_of(measures)); }

std::string to_json(const Settings& settings) { return dump(json_of(settings)); }

std::string to_json(const RunReport& report) {
  Json json = {{"command", report.command},
               {"version", report.version},
               {"settings", json_of(report.settings)},
               {"seed", report.seed},
               {"threads", report.threads},
               {"k", report.k},
               {"rows", report.rows},
               {"cols", report.cols},
               {"nonzeros", report.nonzeros},
               {"iterations", report.iterations},
               {"relative_error", report.relative_error},
               {"projected_gradient_ratio", report.projected_gradient_ratio},
               {"stop_reason", name_of(report.stop_reason)},
               {"runs", {{"relative_errors", report.run_errors}, {"best", report.best_run}}},
               {"seconds",
                {{"read", report.seconds.read},
                 {"prepare", report.seconds.prepare},
                 {"solve", report.seconds.solve},
                 {"write", report.seconds.write},
                 {"total", report.seconds.total}}},
               {"peak_memory_bytes", report.peak_memory_bytes}};
  if (report.objective) {
    json["objective"] = finite_or_null(*report.objective);
    json["runs"]["objectives"] = report.run_objectives;
  }
  if (!report.engine.empty()) json["engine"] = report.engine;
  if (report.estimated_memory_bytes > 0) json["estimated_memory_bytes"] = report.estimated_memory_bytes;
  if (!report.line.empty()) json["line"] = report.line;
  if (report.measures) json["measures"] = json_of(*report.measures);
  if (report.leaf_measures) json["leaf_measures"] = json_of(*report.leaf_measures);
  if (report.consensus) {
    json["consensus"] = {{"runs", report.consensus->runs},
                         {"neighbours", report.consensus->neighbours},
                         {"distances", report.consensus->distances},
                         {"groups", report.consensus->groups},
                         {"silhouettes", report.consensus->silhouettes},
                         {"shares", report.consensus->shares}};
  }
  if (report.survey) json["survey"] = json_of(*report.survey);
  if (!report.survey && !report.stored_survey.empty()) json["survey"] = Json::parse(report.stored_survey);
  json["zero_share"] = {{"w", report.w_zero_share}, {"h", report.h_zero_share}};
  json["items_without_cluster"] = report.items_without_cluster;
  json["notes"] = report.notes;
  if (report.graph) {
    json["modularity"] = report.graph->modularity;
    json["normalized_cut"] = report.graph->normalized_cut;
    json["conductance"] = report.graph->conductance;
    json["coverage"] = report.graph->coverage;
    json["graph"] = json_of(*report.graph);
    json["communities"] = json_of(report.graph->communities);
  } else {
    json["topics"] = json_of(report.topics);
  }
  json["history"] = json_of(report.history);
  return dump(json);
}

std::string assignments_header(bool stability) {
  return std::string("item\tcluster\tweight") + (stability ? "\tstability\n" : "\n");
}

void append_line(const Assignment& assignment, bool stability, std::string& text) {
  append_name(text, assignment.item);
  text += '\t' + assignment.cluster + '\t';
  append_number(text, assignment.weight);
  if (stability) text += '\t';
  if (stability && assignment.stability) append_number(text, *assignment.stability);
  text += '\n';
}

std::string topics_tsv(std::span<const Topic> topics) {
  const bool labels = std::ranges::any_of(topics, [](const Topic& topic) { return !topic.label.empty(); });
  std::string text = std::string("cluster\trank\tfeature\tweight") + (labels ? "\tlabel\n" : "\n");
  for (std::size_t cluster = 0; cluster < topics.size(); ++cluster) {
    const auto& features = topics[cluster].top_features;
    for (std::size_t rank = 0; rank < features.size(); ++rank) {
      text += std::to_string(cluster) + "\t" + std::to_string(rank + 1) + "\t";
      append_name(text, features[rank].first);
      text += "\t";
      append_number(text, features[rank].second);
      if (labels) {
        text += "\t";
        append_name(text, topics[cluster].label);
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace copse
