#include "apps/copse/terminal/show_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "apps/copse/terminal/show_parts.h"
#include "apps/copse/terminal/show_run.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"
#include "copse/describe/read_result.h"
#include "copse/input/options.h"
#include "copse/methods/options.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 12;  // of a list in the terminal

std::vector<std::string> named(const Topic& topic) {
  std::vector<std::string> names;
  for (const Ranked& best : topic.words.empty() ? topic.representatives : topic.words) names.push_back(best.name);
  return names;
}

std::string pieces_line(const RunReport& report) {
  const GraphFacts& facts = *report.graph;
  if (facts.pieces == 0) return "";
  const auto k = static_cast<Index>(report.topics.size());
  return fmt::format("{} with {} took no part: clusters {} to {}\n", counted(facts.pieces, "small piece"),
                     counted(facts.nodes_set_aside, "node"), k, k + facts.pieces - 1);
}

std::string quality_line(const GraphFacts& facts) {
  return fmt::format(
      "modularity {:.4f}, conductance {:.4f} on average, normalized cut {:.4f}, {:.1f} % of the weight "
      "within communities",
      facts.modularity, facts.conductance, facts.normalized_cut, 100 * facts.coverage);
}

Json list_of(const std::vector<Ranked>& ranked, const char* called) {
  Json list = Json::array();
  for (const Ranked& entry : ranked) list.push_back({{called, entry.name}, {"weight", entry.weight}});
  return list;
}

Json json_of(const Topic& topic) {
  const CommunityFacts& community = *topic.community;
  Json json = {{"id", topic.id},
               {"label", topic.label},
               {"nodes", topic.size},
               {"overlapping", community.overlapping},
               {"inside", community.inside},
               {"leaving", community.leaving},
               {"conductance", community.conductance},
               {"central", list_of(topic.representatives, "item")},
               {"neighbours", Json::array()}};
  for (const auto& [other, weight] : community.neighbours)
    json["neighbours"].push_back({{"id", std::to_string(other)}, {"weight", weight}});
  if (!topic.words.empty()) json["features"] = list_of(topic.words, "feature");
  if (!topic.main_class.empty()) json["main_class"] = {{"name", topic.main_class}, {"share", topic.main_class_share}};
  return json;
}

std::vector<std::pair<std::string, Index>> classes_of(const GraphResult& result, Index node) {
  std::map<std::string, Index> counts;
  const ModelItems& items = result.model.items;
  for (std::size_t i = 0; i < items.classes.size(); ++i) {
    const TopicItem& item = result.view.items[i];
    if (item.node == node && !item.outside && !items.classes[i].empty()) ++counts[items.classes[i]];
  }
  std::vector<std::pair<std::string, Index>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& entry) { return entry.second; });
  return sorted;
}

std::string text_of(const GraphResult& result, Index node, std::size_t width) {
  const Topic& topic = result.view.nodes[node];
  const CommunityFacts& community = *topic.community;
  std::string text = fmt::format("community {} \"{}\": {}", topic.id, topic.label, counted(topic.size, "node"));
  text += fmt::format(", conductance {:.3f}", community.conductance);
  const double volume = 2 * community.inside + community.leaving;
  if (volume > 0) text += fmt::format(", {:.0f} % of its weight inside", 200 * community.inside / volume);
  if (community.overlapping > 0)
    text += fmt::format(", {} of others belong to it too", counted(community.overlapping, "node"));
  text += "\n";
  text += section(
      "central nodes, with the weight of their edges inside", topic.representatives,
      [](const Ranked& best) { return fmt::format("{} {:.4g}", best.name, best.weight); }, 1000, width);
  text += section(
      "features above the mean of all", topic.words,
      [](const Ranked& best) { return fmt::format("{} {:.3g}", best.name, best.weight); }, most_lines, width);
  text += section(
      "neighbours, with the weight of the edges between", community.neighbours,
      [&](const auto& link) {
        return fmt::format("{} \"{}\" {:.4g}", link.first, result.view.nodes[link.first + 1].label, link.second);
      },
      most_lines, width);
  text += section(
      "classes", classes_of(result, node), [](const auto& e) { return fmt::format("{} {}", e.first, e.second); },
      most_lines, width);
  return text;
}

}  // namespace

std::string communities_table(const RunReport& report, std::size_t width) {
  std::vector<std::size_t> order(report.topics.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t c) { return report.topics[c].size; });
  std::size_t class_width = 0;  // 0: no truth, no column
  bool features = false;
  for (const Topic& community : report.topics) {
    features = features || !community.words.empty();
    if (!community.main_class.empty())
      class_width = std::max<std::size_t>({class_width, community.main_class.size(), 5});
  }
  const auto line = [&](const auto& id, const auto& nodes, const auto& share, const auto& conductance,
                        const std::string& name, const std::string& name_share) {
    std::string left = fmt::format("{:>9}  {:>9}  {:>5}  {:>11}  ", id, nodes, share, conductance);
    if (class_width > 0) left += fmt::format("{:<{}} {:>4}  ", name, class_width, name_share);
    return left;
  };
  std::string table = line("community", "nodes", "share", "conductance", "class", "");
  table += features ? "top features\n" : "central nodes\n";
  for (const std::size_t c : order) {
    const Topic& community = report.topics[c];
    const double share =
        static_cast<double>(community.size) / static_cast<double>(std::max<Index>(1, report.graph->nodes));
    const std::string left =
        line(community.id, counted(community.size), fmt::format("{:.1f}%", 100 * share),
             fmt::format("{:.3f}", community.community->conductance), community.main_class,
             community.main_class.empty() ? "" : fmt::format("{:.0f}%", 100 * community.main_class_share));
    std::vector<std::string> words = named(community);
    if (words.size() > 10) words.resize(10);
    const std::string names = joined(words, ", ");
    if (width < left.size() + 20) {
      table += left + names + "\n";
    } else {
      table += left + (names.empty() ? "\n" : wrapped(names, width, left.size()).substr(left.size()));
    }
  }
  return table;
}

void show(const GraphResult& result, const OutputOptions& output, Terminal& terminal) {
  const RunReport& report = result.report;
  std::vector<std::string> lines = {outcome(report, text_setting(report.settings, "solver")),
                                    quality_line(*report.graph)};
  show_end(report, output, lines, terminal,
           [&](std::size_t width) { return communities_table(report, width) + pieces_line(report); });
}

std::string show_graph(const StoredResult& stored, const ShowOptions& options) {
  if (options.prompt) throw InputError("--prompt asks for the names of topics, and " + options.folder + " is a graph.");
  GraphResult result = read_graph_result(stored);
  const RunReport& report = result.report;
  if (options.topic) {
    if (options.words > result.top) {
      result.top = options.words;
      describe(result);
    }
    const Index node = result.view.find(*options.topic);
    if (!options.json) return text_of(result, node, terminal_width());
    Json json = json_of(result.view.nodes[node]);
    for (const auto& [name, count] : classes_of(result, node)) json["classes"][name] = count;
    return json_text(json);
  }
  const GraphFacts& facts = *report.graph;
  if (!options.json)
    return communities_table(report, terminal_height() > 0 ? terminal_width() : 0) + pieces_line(report) +
           quality_line(facts) + "\n";
  Json json = {{"command", "show"},
               {"result", options.folder},
               {"modularity", facts.modularity},
               {"conductance", facts.conductance},
               {"normalized_cut", facts.normalized_cut},
               {"pieces", facts.pieces},
               {"communities", Json::array()}};
  for (const Topic& topic : report.topics) json["communities"].push_back(json_of(topic));
  return json_text(json);
}

}  // namespace copse
