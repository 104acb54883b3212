#include "apps/copse/terminal/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/copse/terminal/words.h"

namespace copse {

std::string topics_table(const std::vector<Topic>& topics, std::size_t width) {
  std::vector<std::size_t> order(topics.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return topics[a].items > topics[b].items; });
  Index items = 0;
  std::size_t class_width = 0;  // 0: no truth, no column
  bool stability = false;
  std::size_t name_width = 0;  // 0: no names, no column
  for (const Topic& topic : topics) {
    items += topic.items;
    stability = stability || topic.stability;
    if (!topic.label.empty()) name_width = std::max<std::size_t>({name_width, topic.label.size(), 4});
    if (!topic.main_class.empty()) class_width = std::max<std::size_t>({class_width, topic.main_class.size(), 5});
  }
  const auto line = [&](const std::string& cluster, const std::string& count, const std::string& share,
                        const std::string& main_class, const std::string& main_share, const std::string& stable,
                        const std::string& name) {
    std::string left = fmt::format("{:>7}  {:>9}  {:>5}  ", cluster, count, share);
    if (stability) left += fmt::format("{:>9}  ", stable);
    if (class_width > 0) left += fmt::format("{:<{}} {:>4}  ", main_class, class_width, main_share);
    if (name_width > 0) left += fmt::format("{:<{}}  ", name, name_width);
    return left;
  };
  std::string table = line("cluster", "items", "share", "class", "", "stability", "name") + "top features\n";
  for (const std::size_t c : order) {
    const Topic& topic = topics[c];
    std::string features;
    for (const auto& [name, weight] : topic.top_features) features += (features.empty() ? "" : " ") + name;
    const double share = items == 0 ? 0 : static_cast<double>(topic.items) / static_cast<double>(items);
    const std::string left =
        line(std::to_string(c), counted(topic.items), fmt::format("{:.1f}%", 100 * share), topic.main_class,
             topic.main_class.empty() ? "" : fmt::format("{:.0f}%", 100 * topic.main_class_share),
             topic.stability ? fmt::format("{:.2f}", *topic.stability) : "", topic.label);
    if (width < left.size() + 20) {
      table += left + features + "\n";
    } else {
      table += left + (features.empty() ? "\n" : wrapped(features, width, left.size()).substr(left.size()));
    }
  }
  return table;
}

template <class T>
std::string tree_table(const TreeResult<T>& result, std::size_t width) {
  const Tree<T>& tree = result.tree();
  const auto& names = result.model.items.feature_names;
  std::string table;
  const auto feature = [&](Index i) { return names.empty() ? std::to_string(i) : names[i]; };
  const auto write = [&](const auto& self, Index n, std::size_t depth) -> void {
    const TreeNode<T>& node = tree.nodes[n];
    std::string line = std::string(2 * depth, ' ') + (n == 0 ? "all" : tree.id(n));
    line += "  " + std::to_string(node.items.size()) + (node.items.size() == 1 ? " item" : " items");
    if (std::isfinite(node.score) && node.score >= 0) line += "  score " + fmt::format("{:.6g}", node.score);
    if (!node.outliers.empty()) line += "  " + std::to_string(node.outliers.size()) + " set aside";
    if (node.dropped) line += "  dropped";
    if (const auto stability = result.view.nodes[n].stability) line += fmt::format("  stability {:.2f}", *stability);
    if (const std::string& label = result.view.nodes[n].label; !label.empty()) line += "  \"" + label + "\"";
    line += node.topic.terms.empty() ? "" : "  ";
    for (std::size_t r = 0; r < std::min<std::size_t>(result.top, node.topic.terms.size()); ++r) {
      const std::string word = " " + feature(node.topic.terms[r]);
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

template std::string tree_table(const TreeResult<float>&, std::size_t);
template std::string tree_table(const TreeResult<double>&, std::size_t);

std::string measures_line(const ClusteringMeasures& measures) {
  return fmt::format("accuracy {:.4f}  nmi {:.4f}  ari {:.4f}  purity {:.4f}  entropy {:.4f}  ({}, {}, {})",
                     measures.accuracy, measures.nmi, measures.ari, measures.purity, measures.entropy,
                     counted(measures.items, "item"), counted(measures.clusters, "cluster"),
                     measures.classes == 1 ? "1 class" : counted(measures.classes) + " classes");
}

}  // namespace copse
