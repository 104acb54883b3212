#include "copse/report/tree_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

namespace copse {
namespace {

using Json = nlohmann::ordered_json;

std::string cell(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string feature(const TreeTexts& texts, Index i) {
  return texts.feature_names.empty() ? std::to_string(i) : texts.feature_names[i];
}

std::string item(const TreeTexts& texts, Index j) {
  return texts.item_names[texts.kept_items.empty() ? j : texts.kept_items[j]];
}

// The number of the tree's item for every item of the file, or -1.
std::vector<Index> tree_items(const TreeTexts& texts) {
  std::vector<Index> numbers(texts.item_names.size(), -1);
  if (texts.kept_items.empty()) std::iota(numbers.begin(), numbers.end(), Index(0));
  for (std::size_t j = 0; j < texts.kept_items.size(); ++j) numbers[texts.kept_items[j]] = static_cast<Index>(j);
  return numbers;
}

std::string name_of(Leaf leaf) {
  switch (leaf) {
    case Leaf::open:
      return "open";
    case Leaf::too_small:
      return "too_small";
    case Leaf::one_sided:
      return "one_sided";
    case Leaf::only_outliers:
      return "only_outliers";
  }
  return "";
}

Json measures_json(const ClusteringMeasures& measures) {
  return {{"accuracy", measures.accuracy},
          {"nmi", measures.nmi},
          {"ari", measures.ari},
          {"purity", measures.purity},
          {"entropy", measures.entropy}};
}

template <class T>
Json node_json(const Tree<T>& tree, Index n, const TreeTexts& texts) {
  const TreeNode<T>& node = tree.nodes[n];
  Json json;
  json["id"] = tree.id(n);
  json["parent"] = node.parent < 0 ? Json() : Json(tree.id(node.parent));
  json["children"] = node.first < 0 ? Json::array() : Json({tree.id(node.first), tree.id(node.second)});
  json["name"] = node.name;
  json["size"] = node.items.size();
  json["outliers"] = node.outliers.size();
  json["score"] = std::isfinite(node.score) ? Json(node.score) : Json();
  json["split"] = node.split;
  if (node.first < 0) json["leaf"] = name_of(node.leaf);
  json["dropped"] = node.dropped;
  // The share of the items' squared norms that the topic alone explains.
  json["quality"] = node.squared_norm > 0 ? node.explained / node.squared_norm : 0;
  json["terms"] = Json::array();
  for (std::size_t r = 0; r < std::min<std::size_t>(texts.top, node.topic.terms.size()); ++r)
    json["terms"].push_back({{"term", feature(texts, node.topic.terms[r])}, {"weight", node.topic.weights[r]}});
  json["items"] = Json::array();
  std::vector<std::size_t> order(node.weights.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t shown = std::min<std::size_t>(texts.top, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown),
                            [&](std::size_t a, std::size_t b) {
                              return node.weights[a] != node.weights[b] ? node.weights[a] > node.weights[b] : a < b;
                            });
  for (std::size_t r = 0; r < shown; ++r)
    json["items"].push_back({{"item", item(texts, node.items[order[r]])}, {"weight", node.weights[order[r]]}});
  return json;
}

}  // namespace

template <class T>
SoftPaths<T>::SoftPaths(const Tree<T>& tree)
    : last(static_cast<std::size_t>(tree.cols), 0), weights(last.size()), second(last.size(), -1), beside(last.size()) {
  for (Index n = 1; n < static_cast<Index>(tree.nodes.size()); ++n) {
    const TreeNode<T>& node = tree.nodes[n];
    const Index sibling = tree.nodes[node.parent].first == n ? n + 1 : n - 1;
    for (std::size_t e = 0; e < node.items.size(); ++e) {
      const auto j = static_cast<std::size_t>(node.items[e]);
      const double above = weights[j].empty() ? 1 : weights[j].back(), share = static_cast<double>(node.shares[e]);
      if (above * (1 - share) > beside[j]) {
        beside[j] = above * (1 - share);
        second[j] = sibling;
      }
      last[j] = n;
      weights[j].push_back(above * share);
    }
  }
}

template <class T>
std::string explain_leaves(const Tree<T>& tree, Index wanted) {
  if (tree.leaves >= wanted) return "";
  const std::string begin = "The tree has " + std::to_string(tree.leaves) + (tree.leaves == 1 ? " leaf" : " leaves") +
                            ", not " + std::to_string(wanted) + ": ";
  if (tree.stop_reason == StopReason::interrupted) return begin + "the run was interrupted.";
  std::array<Index, 4> counts{};
  for (const Index leaf : tree.leaf_nodes()) ++counts[static_cast<std::size_t>(tree.nodes[leaf].leaf)];
  std::string reasons;
  const auto add = [&](Leaf leaf, const char* reason) {
    const Index count = counts[static_cast<std::size_t>(leaf)];
    if (count > 0) reasons += (reasons.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
  };
  add(Leaf::too_small, "with too few items");
  add(Leaf::one_sided, "whose items all point the same way");
  add(Leaf::only_outliers, "that would only lose outliers");
  add(Leaf::open, "whose score is too low");
  return begin + "no leaf can be split further (" + reasons + ").";
}

template <class T>
std::string tree_json(const Tree<T>& tree, const TreeTexts& texts) {
  Json json;
  json["leaves"] = tree.leaves;
  json["items"] = tree.cols;
  json["features"] = tree.rows;
  json["explanation"] = texts.explanation;
  json["history"] = texts.history;
  json["cost"] = {{"factorizations", tree.cost.factorizations},
                  {"iterations", tree.cost.iterations},
                  {"entries_read", tree.cost.entries_read}};
  json["nodes"] = Json::array();
  for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n) json["nodes"].push_back(node_json(tree, n, texts));
  if (!texts.partitions.empty()) {
    json["partitions"] = Json::array();
    for (std::size_t p = 0; p < texts.partitions.size(); ++p) {
      Json entry = {{"leaves", p + 2}};
      entry.update(measures_json(texts.partitions[p]));
      json["partitions"].push_back(entry);
    }
  }
  if (texts.flat) json["flat"] = measures_json(*texts.flat);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class T>
std::string tree_table(const Tree<T>& tree, const TreeTexts& texts, std::size_t width) {
  std::string table;
  const auto write = [&](const auto& self, Index n, std::size_t depth) -> void {
    const TreeNode<T>& node = tree.nodes[n];
    std::string line = std::string(2 * depth, ' ') + (n == 0 ? "all" : tree.id(n));
    line += "  " + std::to_string(node.items.size()) + (node.items.size() == 1 ? " item" : " items");
    if (std::isfinite(node.score) && node.score >= 0) line += "  score " + number(node.score);
    if (!node.outliers.empty()) line += "  " + std::to_string(node.outliers.size()) + " set aside";
    if (node.dropped) line += "  dropped";
    if (!node.name.empty()) line += "  " + cell(node.name);
    line += node.topic.terms.empty() ? "" : "  ";
    for (std::size_t r = 0; r < std::min<std::size_t>(texts.top, node.topic.terms.size()); ++r) {
      const std::string word = " " + cell(feature(texts, node.topic.terms[r]));
      if (width > 0 && line.size() + word.size() > width) break;
      line += word;
    }
    table += line + "\n";
    if (node.first < 0) return;
    self(self, node.first, depth + 1);
    self(self, node.second, depth + 1);
  };
  write(write, 0, 0);
  return table;
}

template <class T>
std::string tree_newick(const Tree<T>& tree) {
  const auto label = [&](Index n) {
    std::string text = tree.nodes[n].name.empty() ? tree.id(n) : tree.nodes[n].name;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "':1";
  };
  // Children close before their parent is named.
  std::string text;
  const auto write = [&](const auto& self, Index n) -> void {
    if (tree.nodes[n].first >= 0) {
      text += '(';
      self(self, tree.nodes[n].first);
      text += ',';
      self(self, tree.nodes[n].second);
      text += ')';
    }
    if (n > 0) text += label(n);
  };
  write(write, 0);
  return text + ";\n";
}

template <class T>
std::string tree_assignments_tsv(const Tree<T>& tree, const TreeTexts& texts, std::span<const Index> flat) {
  const auto leaf = tree.partition(tree.splits());
  const SoftPaths<T> paths(tree);
  std::vector<std::string> ids;
  for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n) ids.push_back(tree.id(n));
  std::string table = "item\tcluster\tweight\tpath\tweights\tsecond\tsecond_weight\tflat\n";
  const auto numbers = tree_items(texts);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    table += cell(texts.item_names[i]);
    if (numbers[i] < 0) {
      table += '\t' + texts.dropped_name + "\t0\t\t\t\t0\t" + texts.dropped_name + '\n';
      continue;
    }
    const auto j = static_cast<std::size_t>(numbers[i]);
    const auto& weights = paths.weights[j];
    table += '\t' + (leaf[j] < 0 ? "outlier" : ids[leaf[j]]) + '\t' + number(weights.empty() ? 1 : weights.back()) +
             '\t' + ids[paths.last[j]] + '\t';
    for (std::size_t w = 0; w < weights.size(); ++w) table += (w > 0 ? "," : "") + number(weights[w]);
    table += '\t' + (paths.second[j] < 0 ? "" : ids[paths.second[j]]) + '\t' + number(paths.beside[j]) + '\t' +
             (flat.empty()  ? ""
              : flat[j] < 0 ? "-1"
                            : ids[flat[j]]) +
             '\n';
  }
  return table;
}

template <class T>
std::string partitions_tsv(const Tree<T>& tree, const TreeTexts& texts) {
  std::vector<std::vector<Index>> partitions;
  std::string table = "item";
  for (int s = 1; s <= tree.splits(); ++s) {
    partitions.push_back(tree.partition(s));
    table += '\t' + std::to_string(s + 1);
  }
  table += '\n';
  std::vector<std::string> ids;
  for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n) ids.push_back(tree.id(n));
  const auto numbers = tree_items(texts);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    table += cell(texts.item_names[i]);
    for (const auto& partition : partitions) {
      const Index leaf = numbers[i] < 0 ? -1 : partition[numbers[i]];
      table += '\t' + (numbers[i] < 0 ? texts.dropped_name : leaf < 0 ? "outlier" : ids[leaf]);
    }
    table += '\n';
  }
  return table;
}

#define COPSE_INSTANTIATE(T)                                                                           \
  template struct SoftPaths<T>;                                                                        \
  template std::string explain_leaves(const Tree<T>&, Index);                                          \
  template std::string tree_json(const Tree<T>&, const TreeTexts&);                                    \
  template std::string tree_table(const Tree<T>&, const TreeTexts&, std::size_t);                      \
  template std::string tree_newick(const Tree<T>&);                                                    \
  template std::string tree_assignments_tsv(const Tree<T>&, const TreeTexts&, std::span<const Index>); \
  template std::string partitions_tsv(const Tree<T>&, const TreeTexts&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
