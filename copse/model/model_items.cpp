#include "copse/model/model_items.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace copse {

std::vector<Index> ModelItems::kept_numbers() const {
  std::vector<Index> numbers(item_names.size(), -1);
  if (kept_items.empty()) std::iota(numbers.begin(), numbers.end(), Index(0));
  for (std::size_t j = 0; j < kept_items.size(); ++j) numbers[kept_items[j]] = static_cast<Index>(j);
  return numbers;
}

std::optional<ClusteringMeasures> measure(const ModelItems& items, const std::vector<Index>& labels) {
  if (items.classes.empty()) return {};
  std::vector<Index> clusters;
  std::vector<std::string> truth;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (items.classes[i].empty() || (labels[i] < 0 && !items.is_text())) continue;
    clusters.push_back(labels[i]);
    truth.push_back(items.classes[i]);
  }
  return compare_clusterings(clusters, label_numbers(truth));
}

void add_items(TensorWriter& writer, const ModelItems& items) {
  const auto add = [&](const char* name, const auto& values) {
    if (!values.empty()) writer.add(name, values);
  };
  add("feature_names", items.feature_names);
  add("item_names", items.item_names);
  add("classes", items.classes);
  add("kept_items", items.kept_items);
  add("kept_features", items.kept_features);
  add("outside_items", items.outside_items);
  add("outside_ids", items.outside_ids);
  add("outside_weights", items.outside_weights);
  add("feature_factors", items.feature_factors);
  add("feature_totals", items.feature_totals);
  add("times", items.times);
  add("topic_ids", items.topic_ids);
  add("coherence", items.coherence);
  add("label_ids", items.label_ids);
  add("labels", items.labels);
  add("stability_ids", items.stability_ids);
  add("stability", items.stability);
  add("item_stability", items.item_stability);
  if (!items.is_text()) return;
  writer.add("vocabulary", std::vector<std::string>{items.vocabulary});
  add("titles", items.titles);
  add("document_counts", items.document_counts);
  add("near_duplicates", items.near_duplicates);
  add("excerpt_items", items.excerpt_items);
  add("excerpts", items.excerpts);
}

ModelItems read_items(const TensorReader& reader, Index features, Index kept) {
  ModelItems items;
  items.feature_names = reader.strings("feature_names");
  items.item_names = reader.strings("item_names");
  items.classes = reader.strings("classes");
  items.kept_items = reader.list<Index>("kept_items");
  items.kept_features = reader.list<Index>("kept_features");
  items.outside_items = reader.list<Index>("outside_items");
  items.outside_ids = reader.strings("outside_ids");
  items.outside_weights = reader.list<double>("outside_weights");
  items.feature_factors = reader.list<double>("feature_factors");
  items.feature_totals = reader.list<double>("feature_totals");
  items.label_ids = reader.strings("label_ids");
  items.labels = reader.strings("labels");
  items.stability_ids = reader.strings("stability_ids");
  items.stability = reader.list<double>("stability");
  items.item_stability = reader.list<double>("item_stability");
  if (reader.has("vocabulary")) {
    const auto vocabulary = reader.strings("vocabulary");
    if (vocabulary.size() != 1) reader.wrong("it has not one vocabulary");
    items.vocabulary = vocabulary.front();
  }
  items.titles = reader.strings("titles");
  items.times = reader.strings("times");
  items.document_counts = reader.list<Index>("document_counts");
  items.near_duplicates = reader.list<Index>("near_duplicates");
  items.excerpt_items = reader.list<Index>("excerpt_items");
  items.excerpts = reader.strings("excerpts");
  items.topic_ids = reader.strings("topic_ids");
  items.coherence = reader.list<double>("coherence");

  const auto all = static_cast<Index>(items.item_names.size());
  const auto has = [&](const auto& list, Index count) {
    return list.empty() || static_cast<Index>(list.size()) == count;
  };
  const auto inside = [](const std::vector<Index>& list, Index end) {
    return std::ranges::all_of(list, [&](Index value) { return value >= 0 && value < end; });
  };
  const auto ascending = [](const std::vector<Index>& list) {
    return std::ranges::adjacent_find(list, std::greater_equal()) == list.end();
  };
  const auto usable = [](const std::vector<double>& list) {
    return std::ranges::all_of(list, [](double value) { return value >= 0 && std::isfinite(value); });
  };
  constexpr Index most_features = std::numeric_limits<RowIndex>::max();
  const bool fits = has(items.feature_names, features) && has(items.feature_factors, features) &&
                    has(items.feature_totals, features) && static_cast<Index>(items.kept_features.size()) == features &&
                    has(items.document_counts, features) && has(items.classes, all) && has(items.titles, all) &&
                    has(items.times, all) && inside(items.kept_items, all) && inside(items.outside_items, all) &&
                    items.outside_ids.size() == items.outside_items.size() &&
                    items.outside_weights.size() == items.outside_items.size() && ascending(items.kept_items) &&
                    ascending(items.kept_features) && inside(items.kept_features, most_features) &&
                    ascending(items.outside_items) && ascending(items.excerpt_items) &&
                    inside(items.near_duplicates, kept) && inside(items.excerpt_items, all) &&
                    items.excerpts.size() == items.excerpt_items.size() &&
                    items.topic_ids.size() == items.coherence.size() && items.label_ids.size() == items.labels.size() &&
                    items.stability_ids.size() == items.stability.size() && has(items.item_stability, kept) &&
                    (items.kept_items.empty() ? all : static_cast<Index>(items.kept_items.size())) == kept;
  if (!fits) reader.wrong("its lists of features and items do not fit each other");
  if (!usable(items.feature_factors) || !usable(items.feature_totals) || !usable(items.outside_weights))
    reader.wrong("it has a weight that is negative or not finite");
  if (!inside(items.document_counts, std::numeric_limits<Index>::max())) reader.wrong("it has a negative count");
  return items;
}

}  // namespace copse
