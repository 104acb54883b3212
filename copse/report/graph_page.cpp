#include "copse/report/graph_page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "copse/report/page_template.h"
#include "copse/report/page_text.h"
#include "copse/report/result_json.h"
#include "copse/report/result_page.h"
#include "copse/report/survey_report.h"

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
std::vector<Index> reading_order(const GraphView& view) {
  std::vector<Index> order(view.nodes.size());
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::stable_sort(order, [&](Index a, Index b) {
    const GraphNode &x = view.nodes[a], &y = view.nodes[b];
    return x.community != y.community ? x.community < y.community : x.inside > y.inside;
  });
  return order;
}

// The nodes whose names are on the page: all, or the most central of each community.
std::vector<Index> nodes_inside(const GraphView& view, const std::vector<Index>& order, Index limit) {
  if (static_cast<Index>(order.size()) <= limit) return order;
  const auto k = static_cast<Index>(view.communities.size());
  const Index each = std::max(fewest_members, limit / std::max<Index>(1, k));
  std::vector<Index> inside, listed(static_cast<std::size_t>(k), 0);
  for (const Index node : order) {
    const Index community = view.nodes[node].community;
    if (community < k && listed[community]++ < each) inside.push_back(node);
  }
  return inside;
}

struct Classes {
  std::vector<std::string> names;  // the commonest first
  std::vector<Index> of_node;      // -1: none, or one that is not listed
};

template <class T>
Classes classes_of(const CommunityModel<T>& model) {
  Classes result;
  if (model.items.classes.empty()) return result;
  std::map<std::string, Index> counts;
  const auto class_of = [&](Index node) -> const std::string& {
    return model.items.classes[model.items.number_of(node)];
  };
  for (Index i = 0; i < model.graph.nodes(); ++i) {
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
  for (Index i = 0; i < model.graph.nodes(); ++i) {
    const auto found = numbers.find(class_of(i));
    result.of_node.push_back(found == numbers.end() ? -1 : found->second);
  }
  return result;
}

Json json_of_communities(const GraphView& view, const Classes& classes) {
  std::vector<std::map<Index, Index>> counts(view.communities.size());
  for (std::size_t i = 0; i < classes.of_node.size(); ++i) {
    if (view.nodes[i].community < static_cast<Index>(counts.size()) && classes.of_node[i] >= 0)
      ++counts[view.nodes[i].community][classes.of_node[i]];
  }
  Json list = Json::array();
  for (std::size_t c = 0; c < view.communities.size(); ++c) {
    const Community& community = view.communities[c];
    Json entry = {{"id", community.id},
                  {"label", one_line(shortened(community.label, 3 * name_bytes))},
                  {"size", community.nodes},
                  {"overlapping", community.overlapping},
                  {"inside", rounded(community.inside)},
                  {"leaving", rounded(community.leaving)},
                  {"conductance", rounded(community.conductance)}};
    Json central = Json::array(), neighbours = Json::array(), features = Json::array(), found = Json::array();
    for (const CommunityNode& node : community.central) central.push_back(rounded(node.weight));
    for (const CommunityLink& link : community.neighbours) {
      if (static_cast<Index>(neighbours.size()) == most_neighbours) break;
      neighbours.push_back({link.community, rounded(link.weight)});
    }
    for (const auto& [name, weight] : community.top_features) {
      if (static_cast<Index>(features.size()) == features_each) break;
      features.push_back({one_line(shortened(name, name_bytes)), rounded(weight)});
    }
    std::vector<std::pair<Index, Index>> sorted(counts[c].begin(), counts[c].end());
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [number, count] : sorted) found.push_back({number, count});
    entry["central"] = std::move(central);
    entry["neighbours"] = std::move(neighbours);
    if (!community.top_features.empty()) entry["features"] = std::move(features);
    if (!classes.names.empty()) entry["classes"] = std::move(found);
    list.push_back(std::move(entry));
  }
  return list;
}

template <class T>
Json json_of_nodes(const GraphResult<T>& result, const std::vector<Index>& inside, const Classes& classes) {
  const auto k = static_cast<Index>(result.view.communities.size());
  std::vector<std::uint16_t> community, second, label;
  std::vector<std::uint8_t> weight, second_weight;
  Json names = Json::array();
  const auto position = [](Index c, Index end) { return c < 0 || c >= end ? none : static_cast<std::uint16_t>(c); };
  for (const Index i : inside) {
    const GraphNode& node = result.view.nodes[i];
    names.push_back(one_line(shortened(result.model.items.item_names[result.model.items.number_of(i)], name_bytes)));
    community.push_back(position(node.community, k));
    second.push_back(position(node.second, k));
    weight.push_back(byte_of(node.weight));
    second_weight.push_back(byte_of(node.second_weight));
    if (!classes.names.empty()) label.push_back(position(classes.of_node[i], none));
  }
  Json json = {{"total", result.view.nodes.size()},     {"inside", inside.size()},  {"names", std::move(names)},
               {"community", base64(community)},        {"weight", base64(weight)}, {"second", base64(second)},
               {"second_weight", base64(second_weight)}};
  if (!classes.names.empty()) json["label"] = base64(label);
  return json;
}

// Edges between positions of nodes inside, the heaviest where there are too many; null where the graph is not drawn.
template <class T>
Json json_of_edges(const CommunityModel<T>& model, const std::vector<Index>& inside, const GraphPageLimits& limits) {
  if (model.graph.nodes() > limits.drawn_nodes) return nullptr;
  std::vector<Index> position(static_cast<std::size_t>(model.graph.nodes()), -1);
  for (std::size_t i = 0; i < inside.size(); ++i) position[inside[i]] = static_cast<Index>(i);
  struct Line {
    Index from, to;
    double weight;
  };
  std::vector<Line> lines;
  const SparseMatrix<T>& a = model.graph.weights;
  double largest = 0;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
      if (a.indices[p] <= j) continue;
      lines.push_back({position[j], position[a.indices[p]], static_cast<double>(a.values[p])});
      largest = std::max(largest, lines.back().weight);
    }
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
template <class T>
Json json_of_matrix(const GraphResult<T>& result, const std::vector<Index>& order, Index cells) {
  const SparseMatrix<T>& a = result.model.graph.weights;
  const Index n = a.cols, size = std::min(n, cells);
  std::vector<Index> row(static_cast<std::size_t>(n));
  const auto cell_of = [&](Index place) { return place * size / n; };
  for (Index place = 0; place < n; ++place) row[order[place]] = cell_of(place);
  std::vector<double> sums(static_cast<std::size_t>(size * size), 0.0);
  for (Index j = 0; j < n; ++j) {
    for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p)
      sums[row[j] * size + row[a.indices[p]]] += static_cast<double>(a.values[p]);
  }
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
  for (std::size_t c = 0; c <= result.view.communities.size(); ++c) {
    while (place < n && result.view.nodes[order[place]].community < static_cast<Index>(c)) ++place;
    begins.push_back(rounded(static_cast<double>(place * size) / static_cast<double>(n)));
  }
  return {{"size", size}, {"begins", std::move(begins)}, {"cells", base64(shades)}};
}

}  // namespace

template <class T>
std::string graph_page_data(const GraphResult<T>& result, const std::string& title, const GraphPageLimits& limits) {
  const RunReport& report = result.report;
  const GraphFacts& facts = *report.graph;
  Json json = {{"format", 1},
               {"kind", "graph"},
               {"title", one_line(title.empty() ? title_of(report.settings) : title)},
               {"command", line_of(report)},
               {"settings", Json::parse(to_json(report.settings))},
               {"facts", facts_of(report)},
               {"notes", report.notes}};
  json["summary"] = {{"nodes", facts.nodes},
                     {"edges", facts.edges},
                     {"pieces", facts.pieces},
                     {"nodes_set_aside", facts.nodes_set_aside},
                     {"modularity", rounded(facts.modularity)},
                     {"normalized_cut", rounded(facts.normalized_cut)},
                     {"conductance", rounded(facts.conductance)},
                     {"coverage", rounded(facts.coverage)},
                     {"overlap", result.overlap}};
  if (const std::string survey = survey_text(report); !survey.empty()) json["survey"] = Json::parse(survey);
  const Classes classes = classes_of(result.model);
  json["classes"] = Json::array();
  for (const std::string& name : classes.names) json["classes"].push_back(one_line(shortened(name, name_bytes)));
  json["communities"] = json_of_communities(result.view, classes);
  const std::vector<Index> order = reading_order(result.view);
  json["matrix"] = json_of_matrix(result, order, limits.cells);
  Index names = limits.names;
  for (std::size_t budget = static_cast<std::size_t>(limits.bytes) -
                            std::min<std::size_t>(static_cast<std::size_t>(limits.bytes), page_template().size());
       ; names /= 2) {
    const std::vector<Index> inside = nodes_inside(result.view, order, names);
    json["nodes"] = json_of_nodes(result, inside, classes);
    json["edges"] = json_of_edges(result.model, inside, limits);
    std::string text = script_json(json);
    if (text.size() <= budget || names < 1000) return text;
  }
}

template <class T>
std::string graph_page_html(const GraphResult<T>& result, const std::string& title, const GraphPageLimits& limits) {
  return page_around(graph_page_data(result, title, limits));
}

#define COPSE_INSTANTIATE(T)                                                                               \
  template std::string graph_page_data(const GraphResult<T>&, const std::string&, const GraphPageLimits&); \
  template std::string graph_page_html(const GraphResult<T>&, const std::string&, const GraphPageLimits&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
