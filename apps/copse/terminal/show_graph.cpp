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

std::vector<std::string> named(const Community& community) {
  std::vector<std::string> words;
  for (const auto& [feature, weight] : community.top_features) words.push_back(feature);
  if (words.empty()) {
    for (const CommunityNode& node : community.central) words.push_back(node.name);
  }
  return words;
}

std::string pieces_line(const GraphFacts& facts) {
  if (facts.pieces == 0) return "";
  return fmt::format("{} with {} took no part: clusters {} to {}\n", counted(facts.pieces, "small piece"),
                     counted(facts.nodes_set_aside, "node"), facts.communities.size(),
                     facts.communities.size() + static_cast<std::size_t>(facts.pieces) - 1);
}

std::string quality_line(const GraphFacts& facts) {
  return fmt::format(
      "modularity {:.4f}, conductance {:.4f} on average, normalized cut {:.4f}, {:.1f} % of the weight "
      "within communities",
      facts.modularity, facts.conductance, facts.normalized_cut, 100 * facts.coverage);
}

Json json_of(const Community& community) {
  Json json = {{"id", community.id},
               {"label", community.label},
               {"nodes", community.nodes},
               {"overlapping", community.overlapping},
               {"inside", community.inside},
               {"leaving", community.leaving},
               {"conductance", community.conductance},
               {"central", Json::array()},
               {"neighbours", Json::array()}};
  for (const CommunityNode& node : community.central)
    json["central"].push_back({{"item", node.name}, {"weight", node.weight}});
  for (const CommunityLink& link : community.neighbours)
    json["neighbours"].push_back({{"id", std::to_string(link.community)}, {"weight", link.weight}});
  for (const auto& [feature, weight] : community.top_features)
    json["features"].push_back({{"feature", feature}, {"weight", weight}});
  if (!community.main_class.empty())
    json["main_class"] = {{"name", community.main_class}, {"share", community.main_class_share}};
  return json;
}

template <class T>
std::vector<std::pair<std::string, Index>> classes_of(const GraphResult<T>& result, Index community) {
  std::map<std::string, Index> counts;
  const ModelItems& items = result.model.items;
  for (std::size_t i = 0; i < items.classes.size(); ++i) {
    const Index node = result.view.numbers[i];
    if (node >= 0 && result.view.nodes[node].community == community && !items.classes[i].empty())
      ++counts[items.classes[i]];
  }
  std::vector<std::pair<std::string, Index>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

template <class T>
std::string text_of(const GraphResult<T>& result, Index number, std::size_t width) {
  const Community& community = result.view.communities[number];
  std::string text =
      fmt::format("community {} \"{}\": {}", community.id, community.label, counted(community.nodes, "node"));
  text += fmt::format(", conductance {:.3f}", community.conductance);
  const double volume = 2 * community.inside + community.leaving;
  if (volume > 0) text += fmt::format(", {:.0f} % of its weight inside", 200 * community.inside / volume);
  if (community.overlapping > 0)
    text += fmt::format(", {} of others belong to it too", counted(community.overlapping, "node"));
  text += "\n";
  text += section(
      "central nodes, with the weight of their edges inside", community.central,
      [](const CommunityNode& node) { return fmt::format("{} {:.4g}", node.name, node.weight); }, 1000, width);
  text += section(
      "features above the mean of all", community.top_features,
      [](const auto& e) { return fmt::format("{} {:.3g}", e.first, e.second); }, most_lines, width);
  text += section(
      "neighbours, with the weight of the edges between", community.neighbours,
      [&](const CommunityLink& link) {
        return fmt::format("{} \"{}\" {:.4g}", link.community, result.view.communities[link.community].label,
                           link.weight);
      },
      most_lines, width);
  text += section(
      "classes", classes_of(result, number), [](const auto& e) { return fmt::format("{} {}", e.first, e.second); },
      most_lines, width);
  return text;
}

template <class T>
std::string show_of(const StoredResult& stored, const ShowOptions& options) {
  GraphResult<T> result = read_graph_result<T>(stored);
  const auto central = static_cast<std::size_t>(std::max(options.words, result.top));
  if (options.topic) {
    if (central > static_cast<std::size_t>(result.top)) {
      result.top = static_cast<Index>(central);
      describe(result);
    }
    const Index number = result.view.find(*options.topic);
    if (!options.json) return text_of(result, number, terminal_width());
    Json json = json_of(result.view.communities[number]);
    for (const auto& [name, count] : classes_of(result, number)) json["classes"][name] = count;
    return json_text(json);
  }
  const GraphFacts& facts = *result.report.graph;
  if (!options.json)
    return communities_table(facts, terminal_height() > 0 ? terminal_width() : 0) + pieces_line(facts) +
           quality_line(facts) + "\n";
  Json json = {{"command", "show"},
               {"result", options.folder},
               {"modularity", facts.modularity},
               {"conductance", facts.conductance},
               {"normalized_cut", facts.normalized_cut},
               {"pieces", facts.pieces},
               {"communities", Json::array()}};
  for (const Community& community : facts.communities) json["communities"].push_back(json_of(community));
  return json_text(json);
}

}  // namespace

std::string communities_table(const GraphFacts& facts, std::size_t width) {
  std::vector<std::size_t> order(facts.communities.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t c) { return facts.communities[c].nodes; });
  std::size_t class_width = 0;  // 0: no truth, no column
  bool features = false;
  for (const Community& community : facts.communities) {
    features = features || !community.top_features.empty();
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
    const Community& community = facts.communities[c];
    const double share = static_cast<double>(community.nodes) / static_cast<double>(std::max<Index>(1, facts.nodes));
    const std::string left =
        line(community.id, counted(community.nodes), fmt::format("{:.1f}%", 100 * share),
             fmt::format("{:.3f}", community.conductance), community.main_class,
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

template <class T>
void show(const GraphResult<T>& result, const OutputOptions& output, Terminal& terminal) {
  const RunReport& report = result.report;
  const GraphFacts& facts = *report.graph;
  std::vector<std::string> lines = {outcome(report, text_setting(report.settings, "solver")), quality_line(facts)};
  show_end(report, output, lines, terminal,
           [&](std::size_t width) { return communities_table(facts, width) + pieces_line(facts); });
}

std::string show_graph(const StoredResult& stored, const ShowOptions& options) {
  if (options.prompt) throw InputError("--prompt asks for the names of topics, and " + options.folder + " is a graph.");
  return with_precision(stored.precision(), [&]<class T> { return show_of<T>(stored, options); });
}

template void show(const GraphResult<float>&, const OutputOptions&, Terminal&);
template void show(const GraphResult<double>&, const OutputOptions&, Terminal&);

}  // namespace copse
