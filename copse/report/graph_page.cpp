#include "copse/report/graph_page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "copse/model/result_json.h"
#include "copse/model/survey_text.h"
#include "copse/report/page_template.h"
#include "copse/report/page_text.h"
#include "copse/report/result_page.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();
constexpr Index most_classes = 1'000;
constexpr Index name_bytes = 80;
constexpr Index fewest_members = 50;
constexpr Index most_neighbours = 40;  // communities named beside one
constexpr Index features_each = 20;

std::uint8_t byte_of(double share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0)));
}

// All nodes: communities in their order, in each the most central first, what was set aside at the end.
std::vector<Index> reading_order(const GraphResult& result) {
  const std::vector<Index>& labels = result.model.labels;
  const std::vector<GraphNode>& nodes = result.view.graph_nodes;
  std::vector<Index> order(labels.size());
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::stable_sort(order, [&](Index a, Index b) {
    return labels[a] != labels[b] ? labels[a] < labels[b] : nodes[a].inside > nodes[b].inside;
  });
  return order;
}

// The nodes whose names are on the page: all, or the most central of each community.
std::vector<Index> nodes_inside(const CommunityModel& model, const std::vector<Index>& order, Index limit) {
  if (static_cast<Index>(order.size()) <= limit) return order;
  const Index k = model.k();
  const Index each = std::max(fewest_members, limit / std::max<Index>(1, k));
  std::vector<Index> inside, listed(static_cast<std::size_t>(k), 0);
  for (const Index node : order) {
    const Index community = model.labels[node];
    if (community < k && listed[community]++ < each) inside.push_back(node);
  }
  return inside;
}

struct Classes {
  std::vector<std::string> names;  // the commonest first
  std::vector<Index> of_node;      // -1: none, or one that is not listed
};

Classes classes_of(const CommunityModel& model) {
  Classes result;
  if (model.items.classes.empty()) return result;
  std::map<std::string, Index> counts;
  const auto class_of = [&](Index node) -> const std::string& {
    return model.items.classes[model.items.number_of(node)];
  };
  for (Index i = 0; i < model.nodes(); ++i) {
    if (!class_of(i).empty()) ++counts[class_of(i)];
  }
  std::vector<std::pair<std::string, Index>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  if (sorted.size() > most_classes) sorted.resize(most_classes);
  std::map<std::string, Index> numbers;
  for (const auto& [name, count] : sorted) {
    numbers.emplace(name, static_cast<Index>(result.names.size()));
    result.names.push_back(name);
  }
  for (Index i = 0; i < model.nodes(); ++i) {
    const auto found = numbers.find(class_of(i));
    result.of_node.push_back(found == numbers.end() ? -1 : found->second);
  }
  return result;
}

Json json_of_communities(const GraphResult& result, const Classes& classes) {
  const std::vector<Topic>& communities = result.report.topics;
  const std::vector<Index>& labels = result.model.labels;
  std::vector<std::map<Index, Index>> counts(communities.size());
  for (std::size_t i = 0; i < classes.of_node.size(); ++i) {
    if (labels[i] < static_cast<Index>(counts.size()) && classes.of_node[i] >= 0)
      ++counts[labels[i]][classes.of_node[i]];
  }
  Json list = Json::array();
  for (std::size_t c = 0; c < communities.size(); ++c) {
    const Topic& topic = communities[c];
    const CommunityFacts& community = *topic.community;
    Json entry = {{"id", topic.id},
                  {"label", one_line(shortened(topic.label, 3 * name_bytes))},
                  {"size", topic.size},
                  {"overlapping", community.overlapping},
                  {"inside", rounded(community.inside)},
                  {"leaving", rounded(community.leaving)},
                  {"conductance", rounded(community.conductance)}};
    Json central = Json::array(), neighbours = Json::array(), features = Json::array(), found = Json::array();
    for (const Ranked& node : topic.representatives) central.push_back(rounded(node.weight));
    for (const auto& [other, weight] : community.neighbours) {
      if (static_cast<Index>(neighbours.size()) == most_neighbours) break;
      neighbours.push_back({other, rounded(weight)});
    }
    for (const Ranked& word : topic.words) {
      if (static_cast<Index>(features.size()) == features_each) break;
      features.push_back({one_line(shortened(word.name, name_bytes)), rounded(word.weight)});
    }
    std::vector<std::pair<Index, Index>> sorted(counts[c].begin(), counts[c].end());
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [number, count] : sorted) found.push_back({number, count});
    entry["central"] = std::move(central);
    entry["neighbours"] = std::move(neighbours);
    if (!topic.words.empty()) entry["features"] = std::move(features);
    if (!classes.names.empty()) entry["classes"] = std::move(found);
    list.push_back(std::move(entry));
  }
  return list;
}

Json json_of_nodes(const GraphResult& result, const std::vector<Index>& inside, const Classes& classes) {
  const ModelItems& items = result.model.items;
  const Index k = result.model.k();
  std::vector<std::uint16_t> community, second, label;
  std::vector<std::uint8_t> weight, second_weight;
  Json names = Json::array();
  const auto position = [](Index c, Index end) { return c < 0 || c >= end ? none : static_cast<std::uint16_t>(c); };
  for (const Index i : inside) {
    const TopicItem& node = result.view.items[items.number_of(i)];
    names.push_back(one_line(shortened(items.item_names[items.number_of(i)], name_bytes)));
    community.push_back(position(node.node - 1, k));
    second.push_back(position(node.second - 1, k));
    weight.push_back(byte_of(node.weight));
    second_weight.push_back(byte_of(node.second_weight));
    if (!classes.names.empty()) label.push_back(position(classes.of_node[i], none));
  }
  Json json = {{"total", result.model.nodes()},         {"inside", inside.size()},  {"names", std::move(names)},
               {"community", base64(community)},        {"weight", base64(weight)}, {"second", base64(second)},
               {"second_weight", base64(second_weight)}};
  if (!classes.names.empty()) json["label"] = base64(label);
  return json;
}

// Edges between positions of nodes inside, the heaviest where there are too many; null where the graph is not drawn.
Json json_of_edges(const CommunityModel& model, const std::vector<Index>& inside, const GraphPageLimits& limits) {
  if (model.nodes() > limits.drawn_nodes) return nullptr;
  std::vector<Index> position(static_cast<std::size_t>(model.nodes()), -1);
  for (std::size_t i = 0; i < inside.size(); ++i) position[inside[i]] = static_cast<Index>(i);
  struct Line {
    Index from, to;
    double weight;
  };
  std::vector<Line> lines;
  double largest = 0;
  for (Index j = 0; j < model.nodes(); ++j) {
    model.visit_edges(j, [&](Index other, double edge) {
      if (other <= j) return;
      lines.push_back({position[j], position[other], edge});
      largest = std::max(largest, edge);
    });
  }
  const std::size_t total = lines.size();
  std::ranges::stable_sort(lines, [](const Line& x, const Line& y) { return x.weight > y.weight; });
  if (lines.size() > static_cast<std::size_t>(limits.drawn_edges))
    lines.resize(static_cast<std::size_t>(limits.drawn_edges));
  std::vector<std::uint16_t> from, to;
  std::vector<std::uint8_t> weight;
  for (const Line& line : lines) {
    from.push_back(static_cast<std::uint16_t>(line.from));
    to.push_back(static_cast<std::uint16_t>(line.to));
    weight.push_back(std::max<std::uint8_t>(1, byte_of(line.weight / largest)));
  }
  return {{"total", total},
          {"inside", lines.size()},
          {"from", base64(from)},
          {"to", base64(to)},
          {"weight", base64(weight)}};
}

// The matrix with its nodes in reading order, as shades: several nodes share a row where there are many.
Json json_of_matrix(const CommunityModel& model, const std::vector<Index>& order, Index cells) {
  const Index n = model.nodes(), size = std::min(n, cells);
  std::vector<Index> row(static_cast<std::size_t>(n));
  const auto cell_of = [&](Index place) { return place * size / n; };
  for (Index place = 0; place < n; ++place) row[order[place]] = cell_of(place);
  std::vector<double> sums(static_cast<std::size_t>(size * size), 0.0);
  for (Index j = 0; j < n; ++j)
    model.visit_edges(j, [&](Index other, double weight) { sums[row[j] * size + row[other]] += weight; });
  // A few cells far above the others must not make them all invisible: shades go up to the 99th percentile.
  std::vector<double> filled;
  for (const double sum : sums) {
    if (sum > 0) filled.push_back(sum);
  }
  double full = 1;
  if (!filled.empty()) {
    const auto place = filled.begin() + static_cast<std::ptrdiff_t>(filled.size() * 99 / 100);
    std::ranges::nth_element(filled, place);
    full = *place;
  }
  std::vector<std::uint8_t> shades;
  for (const double sum : sums)
    shades.push_back(sum > 0 ? std::max<std::uint8_t>(12, byte_of(std::sqrt(sum / full))) : 0);
  // Where each community begins, in rows that may be broken; the last entry is where the pieces begin.
  Json begins = Json::array();
  Index place = 0;
  for (Index c = 0; c <= model.k(); ++c) {
    while (place < n && model.labels[order[place]] < c) ++place;
    begins.push_back(rounded(static_cast<double>(place * size) / static_cast<double>(n)));
  }
  return {{"size", size}, {"begins", std::move(begins)}, {"cells", base64(shades)}};
}

}  // namespace

std::string graph_page_data(const GraphResult& result, const std::string& title, const GraphPageLimits& limits) {
  const GraphFacts& facts = *result.report.graph;
  Json json = json_of(head_of(result.report, title));
  json["kind"] = "graph";
  json["summary"] = {{"nodes", facts.nodes},
                     {"edges", facts.edges},
                     {"pieces", facts.pieces},
                     {"nodes_set_aside", facts.nodes_set_aside},
                     {"modularity", rounded(facts.modularity)},
                     {"normalized_cut", rounded(facts.normalized_cut)},
                     {"conductance", rounded(facts.conductance)},
                     {"coverage", rounded(facts.coverage)},
                     {"overlap", result.overlap}};
  const Classes classes = classes_of(result.model);
  json["classes"] = Json::array();
  for (const std::string& name : classes.names) json["classes"].push_back(one_line(shortened(name, name_bytes)));
  json["communities"] = json_of_communities(result, classes);
  const std::vector<Index> order = reading_order(result);
  json["matrix"] = json_of_matrix(result.model, order, limits.cells);
  Index names = limits.names;
  for (std::size_t budget = static_cast<std::size_t>(limits.bytes) -
                            std::min<std::size_t>(static_cast<std::size_t>(limits.bytes), page_template().size());
       ; names /= 2) {
    const std::vector<Index> inside = nodes_inside(result.model, order, names);
    json["nodes"] = json_of_nodes(result, inside, classes);
    json["edges"] = json_of_edges(result.model, inside, limits);
    std::string text = script_json(json);
    if (text.size() <= budget || names < 1000) return text;
  }
}

std::string graph_page_html(const GraphResult& result, const std::string& title, const GraphPageLimits& limits) {
  return page_around(graph_page_data(result, title, limits));
}

}  // namespace copse
