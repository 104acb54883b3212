#include "copse/report/tree_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "copse/describe/soft_paths.h"
#include "copse/measure/measure.h"
#include "copse/options/choices.h"
#include "copse/report/tables.h"
#include "copse/tree/ids.h"
#include "copse/tree/join.h"

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

Json measures_json(const ClusteringMeasures& measures) {
  Json json = Json::object();
  for (const Measure& measure : agreement_measures()) json[measure.name] = measures.*measure.agreement;
  return json;
}

Json node_json(const TreeResult& result, const JoinedTopics& topics, Index n) {
  const Tree& tree = result.tree();
  const ModelItems& items = result.model.items;
  const TreeNode& node = tree.nodes[n];
  Json json;
  json["id"] = tree.id(n);
  json["parent"] = node.parent < 0 ? Json() : Json(tree.id(node.parent));
  json["children"] = node.first < 0 ? Json::array() : Json({tree.id(node.first), tree.id(node.second)});
  json["name"] = node.name;
  json["label"] = result.view.nodes[n].label;
  if (result.view.nodes[n].stability) json["stability"] = *result.view.nodes[n].stability;
  json["size"] = node.items.size();
  json["members"] = result.view.nodes[n].size;
  json["outliers"] = node.outliers.size();
  json["score"] = std::isfinite(node.score) ? Json(node.score) : Json();
  json["split"] = node.split;
  if (node.first < 0) json["leaf"] = name_of(node.leaf);
  json["dropped"] = node.dropped;
  if (node.joined >= 0) json["merged_into"] = tree.id(joined_end(tree, node.joined));
  // The share of the items' squared norms that the topic alone explains.
  json["quality"] = node.squared_norm > 0 ? node.explained / node.squared_norm : 0;
  json["terms"] = Json::array();
  const RankedTerms& topic = topics(n);
  for (std::size_t r = 0; r < std::min<std::size_t>(result.top, topic.terms.size()); ++r)
    json["terms"].push_back({{"term", items.feature_name(topic.terms[r])}, {"weight", topic.weights[r]}});
  json["items"] = Json::array();
  std::vector<std::size_t> order(node.weights.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t shown = std::min<std::size_t>(result.top, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown),
                            [&](std::size_t a, std::size_t b) {
                              return node.weights[a] != node.weights[b] ? node.weights[a] > node.weights[b] : a < b;
                            });
  for (std::size_t r = 0; r < shown; ++r)
    json["items"].push_back(
        {{"item", items.item_names[items.number_of(node.items[order[r]])]}, {"weight", node.weights[order[r]]}});
  return json;
}

// The last node on the way of every item.
std::vector<Index> last_nodes(const Tree& tree) {
  std::vector<Index> last(static_cast<std::size_t>(tree.cols), 0);
  for (Index n = 1; n < static_cast<Index>(tree.nodes.size()); ++n) {
    for (const RowIndex j : tree.nodes[n].items) last[j] = n;
  }
  return last;
}

// The shown nodes, each before those below it.
Json outline_json(const TreeResult& result) {
  const Tree& tree = result.tree();
  const Outline& outline = result.view.outline;
  Json json = Json::array();
  const auto write = [&](const auto& self, Index n) -> void {
    Json entry = {{"id", tree.id(n)}, {"short_id", short_id(tree.id(n))}};
    entry["parent"] = n == 0 ? Json() : Json(tree.id(outline.parent[n]));
    entry["children"] = Json::array();
    for (const Index child : outline.children[n]) entry["children"].push_back(tree.id(child));
    json.push_back(std::move(entry));
    for (const Index child : outline.children[n]) self(self, child);
  };
  write(write, 0);
  return json;
}

}  // namespace

std::string tree_json(const TreeResult& result) {
  const Tree& tree = result.tree();
  Json json;
  json["leaves"] = tree.leaves;
  json["items"] = tree.cols;
  json["features"] = tree.rows;
  json["explanation"] = result.explanation;
  json["history"] = result.model.history;
  json["cost"] = {{"factorizations", tree.cost.factorizations},
                  {"iterations", tree.cost.iterations},
                  {"entries_read", tree.cost.entries_read}};
  json["nodes"] = Json::array();
  const JoinedTopics topics(tree);
  for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n)
    json["nodes"].push_back(node_json(result, topics, n));
  json["outline"] = outline_json(result);
  if (!result.partition_measures.empty()) {
    json["partitions"] = Json::array();
    for (std::size_t p = 0; p < result.partition_measures.size(); ++p) {
      Json entry = {{"leaves", p + 2}};
      entry.update(measures_json(result.partition_measures[p]));
      json["partitions"].push_back(entry);
    }
  }
  if (!result.flat().empty() && result.report.measures) json["flat"] = measures_json(*result.report.measures);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string tree_newick(const TreeResult& result) {
  const Tree& tree = result.tree();
  const auto label = [&](Index n) {
    std::string text = tree.nodes[n].name.empty() ? short_id(tree.id(n)) : tree.nodes[n].name;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "':1";
  };
  // Children close before their parent is named.
  std::string text;
  const auto write = [&](const auto& self, Index n) -> void {
    const std::vector<Index>& children = result.view.outline.children[n];
    for (std::size_t c = 0; c < children.size(); ++c) {
      text += c == 0 ? '(' : ',';
      self(self, children[c]);
    }
    if (!children.empty()) text += ')';
    if (n > 0) text += label(n);
  };
  write(write, 0);
  return text + ";\n";
}

void write_assignments(OutputFile& file, const TreeResult& result) {
  const Tree& tree = result.tree();
  const ModelItems& items = result.model.items;
  const SoftPaths paths(tree);
  const auto id = [&](Index node) { return node < 0 ? "" : result.view.nodes[node].id; };
  const bool stability = !items.item_stability.empty();
  std::string line = "item\tcluster\tweight\tsecond\tsecond_weight\tleaf\tpath\tweights";
  line += stability ? "\tstability\n" : "\n";
  const auto numbers = items.kept_numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    file.write(line);
    const TopicItem& item = result.view.items[i];
    line = cell(items.item_names[i]) + '\t' + (item.node < 0 ? items.no_topic() : id(item.node)) + '\t' +
           number(item.weight) + '\t' + id(item.second) + '\t' + number(item.second_weight) + '\t';
    if (numbers[i] < 0) {
      line += (item.outside ? id(item.leaf) : items.no_topic()) + (stability ? "\t\t\t\n" : "\t\t\n");
      continue;
    }
    const std::span<const double> weights = paths.weights(numbers[i]);
    line += (item.outlier ? "outlier" : id(item.leaf)) + '\t' + id(paths.last[numbers[i]]) + '\t';
    for (std::size_t w = 0; w < weights.size(); ++w) line += (w > 0 ? "," : "") + number(weights[w]);
    if (stability) line += '\t' + (item.stability ? number(*item.stability) : "");
    line += '\n';
  }
  file.write(line);
}

void write_partitions(OutputFile& file, const TreeResult& result) {
  const Tree& tree = result.tree();
  const ModelItems& items = result.model.items;
  std::string line = "item";
  for (int s = 1; s <= tree.splits(); ++s) line += '\t' + std::to_string(s + 1);
  file.write(line + '\n');
  const std::vector<Index> last = last_nodes(tree);
  const auto numbers = items.kept_numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    line = cell(items.item_names[i]);
    // The nodes of the item from its last one up; the splits that made them come one after the other.
    std::vector<Index> way;
    for (Index n = numbers[i] < 0 ? -1 : last[numbers[i]]; n >= 0; n = tree.nodes[n].parent) way.push_back(n);
    for (int s = 1; s <= tree.splits(); ++s) {
      while (way.size() > 1 && tree.nodes[way.back()].split <= s) way.pop_back();
      // Its last node was split and the item is in neither child: it was set aside.
      const bool aside = !way.empty() && tree.nodes[way.back()].split > 0 && tree.nodes[way.back()].split <= s;
      const bool outlier = aside || (!way.empty() && tree.nodes[way.back()].dropped);
      line += '\t' + (way.empty() ? items.no_topic() : outlier ? "outlier" : result.view.nodes[way.back()].id);
    }
    file.write(line + '\n');
  }
}

}  // namespace copse
