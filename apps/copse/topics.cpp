#include "apps/copse/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "apps/copse/words.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/top.h"

namespace copse {

template <class T>
std::vector<Topic> describe_topics(const Matrix<T>& w, const Clusters& clusters,
                                   const std::vector<std::string>& feature_names, Index count) {
  std::vector<Topic> topics(static_cast<std::size_t>(w.cols()));
  const std::vector<std::vector<Index>> best = top_entries(w, count);
  for (Index c = 0; c < w.cols(); ++c) {
    Topic& topic = topics[static_cast<std::size_t>(c)];
    topic.items = clusters.sizes[static_cast<std::size_t>(c)];
    for (const Index feature : best[static_cast<std::size_t>(c)]) {
      if (!(w(feature, c) > T(0))) break;
      topic.top_features.emplace_back(
          feature_names.empty() ? std::to_string(feature) : feature_names[static_cast<std::size_t>(feature)],
          static_cast<double>(w(feature, c)));
    }
  }
  return topics;
}

template std::vector<Topic> describe_topics(const Matrix<float>&, const Clusters&, const std::vector<std::string>&,
                                            Index);
template std::vector<Topic> describe_topics(const Matrix<double>&, const Clusters&, const std::vector<std::string>&,
                                            Index);

void add_main_classes(std::vector<Topic>& topics, const std::vector<Index>& labels,
                      const std::vector<std::string>& classes) {
  std::vector<std::map<std::string, Index>> counts(topics.size());
  for (std::size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] >= 0) ++counts[static_cast<std::size_t>(labels[j])][classes[j]];
  }
  for (std::size_t c = 0; c < topics.size(); ++c) {
    const auto most = std::max_element(counts[c].begin(), counts[c].end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == counts[c].end()) continue;
    topics[c].main_class = most->first;
    topics[c].main_class_share = static_cast<double>(most->second) / static_cast<double>(topics[c].items);
  }
}

std::string topics_table(const std::vector<Topic>& topics, std::size_t width) {
  std::vector<std::size_t> order(topics.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return topics[a].items > topics[b].items; });
  Index items = 0;
  std::size_t class_width = 0;  // 0: no truth, no column
  for (const Topic& topic : topics) {
    items += topic.items;
    if (!topic.main_class.empty()) class_width = std::max<std::size_t>({class_width, topic.main_class.size(), 5});
  }
  const auto line = [&](const std::string& cluster, const std::string& count, const std::string& share,
                        const std::string& main_class, const std::string& main_share) {
    const std::string left = fmt::format("{:>7}  {:>9}  {:>5}  ", cluster, count, share);
    return class_width == 0 ? left : left + fmt::format("{:<{}} {:>4}  ", main_class, class_width, main_share);
  };
  std::string table = line("cluster", "items", "share", "class", "") + "top features\n";
  for (const std::size_t c : order) {
    const Topic& topic = topics[c];
    std::string features;
    for (const auto& [name, weight] : topic.top_features) features += (features.empty() ? "" : " ") + name;
    const double share = items == 0 ? 0 : static_cast<double>(topic.items) / static_cast<double>(items);
    const std::string left =
        line(std::to_string(c), counted(topic.items), fmt::format("{:.1f}%", 100 * share), topic.main_class,
             topic.main_class.empty() ? "" : fmt::format("{:.0f}%", 100 * topic.main_class_share));
    if (width < left.size() + 20) {
      table += left + features + "\n";
    } else {
      table += left + (features.empty() ? "\n" : wrapped(features, width, left.size()).substr(left.size()));
    }
  }
  return table;
}

template <class T>
double relative_error(const Data<T>& x, const Matrix<T>& w, const Matrix<T>& h) {
  const double whole = x.squared_norm();
  Matrix<T> products;
  x.transpose_times(w, products);
  const double rest = whole - 2 * dot(products, h) + dot(gram(w), gram(h));
  return whole > 0 ? std::sqrt(std::max(0.0, rest) / whole) : 0;
}

template double relative_error(const Data<float>&, const Matrix<float>&, const Matrix<float>&);
template double relative_error(const Data<double>&, const Matrix<double>&, const Matrix<double>&);

std::string measures_line(const ClusteringMeasures& measures) {
  return fmt::format("accuracy {:.4f}  nmi {:.4f}  ari {:.4f}  purity {:.4f}  entropy {:.4f}  ({}, {}, {})",
                     measures.accuracy, measures.nmi, measures.ari, measures.purity, measures.entropy,
                     counted(measures.items, "item"), counted(measures.clusters, "cluster"),
                     measures.classes == 1 ? "1 class" : counted(measures.classes) + " classes");
}

}  // namespace copse
