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

namespace {

enum class Must { fit_if_there, fit };
constexpr Index any = -1;

// Each list once: its tensor, how many entries it has, and whether it may be missing. Those of documents come last.
template <class Items, class Visit>
void visit_lists(Items& items, Index features, Index kept, const Visit& visit) {
  const auto of = [](const auto& list) { return static_cast<Index>(list.size()); };
  visit("feature_names", items.feature_names, features);
  visit("item_names", items.item_names, any);
  visit("classes", items.classes, of(items.item_names));
  visit("kept_items", items.kept_items, kept);
  visit("kept_features", items.kept_features, features, Must::fit);
  visit("outside_items", items.outside_items, any);
  visit("outside_ids", items.outside_ids, of(items.outside_items), Must::fit);
  visit("outside_weights", items.outside_weights, of(items.outside_items), Must::fit);
  visit("feature_factors", items.feature_factors, features);
  visit("feature_totals", items.feature_totals, features);
  visit("times", items.times, of(items.item_names));
  visit("topic_ids", items.topic_ids, any);
  visit("coherence", items.coherence, of(items.topic_ids), Must::fit);
  visit("label_ids", items.label_ids, any);
  visit("labels", items.labels, of(items.label_ids), Must::fit);
  visit("stability_ids", items.stability_ids, any);
  visit("stability", items.stability, of(items.stability_ids), Must::fit);
  visit("item_stability", items.item_stability, kept);
  visit("vocabulary", items.vocabulary, any);
  visit("titles", items.titles, of(items.item_names));
  visit("document_counts", items.document_counts, features);
  visit("near_duplicates", items.near_duplicates, any);
  visit("excerpt_items", items.excerpt_items, any);
  visit("excerpts", items.excerpts, of(items.excerpt_items), Must::fit);
}

// Reads and checks one list after the other.
struct ListReader {
  const TensorReader& reader;
  bool& fits;

  void take(const char* name, std::vector<std::string>& list) const { list = reader.strings(name); }
  template <class Number>
  void take(const char* name, std::vector<Number>& list) const {
    list = reader.list<Number>(name);
  }
  template <class Value>
  void operator()(const char* name, std::vector<Value>& list, Index count, Must must = Must::fit_if_there) const {
    take(name, list);
    fits = fits &&
           (count == any || static_cast<Index>(list.size()) == count || (list.empty() && must == Must::fit_if_there));
  }
  void operator()(const char* name, std::string& text, Index) const {
    if (!reader.has(name)) return;
    const auto list = reader.strings(name);
    if (list.size() != 1) reader.wrong("it has not one " + std::string(name));
    text = list.front();
  }
};

struct ListWriter {
  TensorWriter& writer;

  template <class Value>
  void operator()(const char* name, const std::vector<Value>& list, Index, Must = Must::fit) const {
    if (!list.empty()) writer.add(name, list);
  }
  void operator()(const char* name, const std::string& text, Index) const {
    if (!text.empty()) writer.add(name, std::vector<std::string>{text});
  }
};

}  // namespace

void add_items(TensorWriter& writer, const ModelItems& items) { visit_lists(items, any, any, ListWriter{writer}); }

ModelItems read_items(const TensorReader& reader, Index features, Index kept) {
  ModelItems items;
  bool fits = true;
  visit_lists(items, features, kept, ListReader{reader, fits});
  const auto all = static_cast<Index>(items.item_names.size());
  const auto inside = [](const std::vector<Index>& list, Index end) {
    return std::ranges::all_of(list, [&](Index value) { return value >= 0 && value < end; });
  };
  const auto ascending = [](const std::vector<Index>& list) {
    return std::ranges::adjacent_find(list, std::greater_equal()) == list.end();
  };
  const auto usable = [](const std::vector<double>& list) {
    return std::ranges::all_of(list, [](double value) { return value >= 0 && std::isfinite(value); });
  };
  for (const std::vector<Index>* numbers : {&items.kept_items, &items.outside_items, &items.excerpt_items})
    fits = fits && ascending(*numbers) && inside(*numbers, all);
  constexpr Index most_features = std::numeric_limits<RowIndex>::max();
  if (!fits || !ascending(items.kept_features) || !inside(items.kept_features, most_features) ||
      !inside(items.near_duplicates, kept) || (items.kept_items.empty() && all != kept))
    reader.wrong("its lists of features and items do not fit each other");
  if (!usable(items.feature_factors) || !usable(items.feature_totals) || !usable(items.outside_weights))
    reader.wrong("it has a weight that is negative or not finite");
  if (!inside(items.document_counts, std::numeric_limits<Index>::max())) reader.wrong("it has a negative count");
  return items;
}

}  // namespace copse
