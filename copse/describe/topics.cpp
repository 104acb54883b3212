#include "copse/describe/topics.h"

#include <algorithm>
#include <map>

#include "copse/kernels/top.h"

namespace copse {

template <class T>
std::vector<Topic> describe_topics(const Matrix<T>& w, const std::vector<std::string>& feature_names, Index count) {
  std::vector<Topic> topics(static_cast<std::size_t>(w.cols()));
  const std::vector<std::vector<Index>> best = top_entries(w, count);
  for (Index c = 0; c < w.cols(); ++c) {
    Topic& topic = topics[static_cast<std::size_t>(c)];
    for (const Index feature : best[static_cast<std::size_t>(c)]) {
      if (!(w(feature, c) > T(0))) break;
      topic.top_features.emplace_back(
          feature_names.empty() ? std::to_string(feature) : feature_names[static_cast<std::size_t>(feature)],
          static_cast<double>(w(feature, c)));
    }
  }
  return topics;
}

template std::vector<Topic> describe_topics(const Matrix<float>&, const std::vector<std::string>&, Index);
template std::vector<Topic> describe_topics(const Matrix<double>&, const std::vector<std::string>&, Index);

void add_main_classes(std::vector<Topic>& topics, const std::vector<Index>& labels,
                      const std::vector<std::string>& classes) {
  std::vector<std::map<std::string, Index>> counts(topics.size());
  for (std::size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] >= 0 && !classes[j].empty()) ++counts[static_cast<std::size_t>(labels[j])][classes[j]];
  }
  for (std::size_t c = 0; c < topics.size(); ++c) {
    const auto most = std::max_element(counts[c].begin(), counts[c].end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == counts[c].end()) continue;
    topics[c].main_class = most->first;
    topics[c].main_class_share = static_cast<double>(most->second) / static_cast<double>(topics[c].items);
  }
}

}  // namespace copse
