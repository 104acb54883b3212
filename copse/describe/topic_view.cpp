#include "copse/describe/topic_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "copse/base/error.h"
#include "copse/describe/soft_paths.h"
#include "copse/kernels/top.h"
#include "copse/nmf/clusters.h"
#include "copse/tree/ids.h"
#include "copse/tree/join.h"

namespace copse {
namespace {

// Of items with weights the heaviest that are not near duplicates; equal ones in their order.
class Representatives {
 public:
  Representatives(const ModelItems& items, Index kept, std::size_t most) : items_(items), most_(most) {
    duplicate_.assign(static_cast<std::size_t>(kept), 0);
    for (const Index item : items.near_duplicates) duplicate_[item] = 1;
  }

  std::vector<Ranked> operator()(std::vector<Ranked> candidates) const {
    std::erase_if(candidates, [&](const auto& candidate) { return duplicate_[candidate.number] != 0; });
    const std::size_t count = std::min(most_, candidates.size());
    std::ranges::partial_sort(
        candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count),
        [](const auto& a, const auto& b) { return a.weight != b.weight ? a.weight > b.weight : a.number < b.number; });
    candidates.resize(count);
    for (Ranked& candidate : candidates) {
      candidate.number = items_.number_of(candidate.number);
      candidate.name = items_.item_names[candidate.number];
    }
    return candidates;
  }

 private:
  const ModelItems& items_;
  std::size_t most_;
  std::vector<char> duplicate_;
};

Ranked feature_of(const ModelItems& items, Index feature, double weight) {
  return {feature, weight, items.feature_name(feature)};
}

// The entry of each topic in `values`, where it is among `ids`.
template <class Value, class Take>
void for_known(const TopicView& view, const std::vector<std::string>& ids, const std::vector<Value>& values,
               const Take& take) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t e = 0; e < ids.size(); ++e) known.emplace(ids[e], e);
  for (std::size_t n = 1; n < view.nodes.size(); ++n) {
    if (const auto found = known.find(view.nodes[n].id); found != known.end()) take(n, values[found->second]);
  }
}

// What the model knows of its topics besides.
void add_known(const ModelItems& items, TopicView& view) {
  for_known(view, items.topic_ids, items.coherence,
            [&](std::size_t n, double coherence) { view.nodes[n].coherence = coherence; });
  for_known(view, items.stability_ids, items.stability,
            [&](std::size_t n, double stability) { view.nodes[n].stability = stability; });
  for_known(view, items.label_ids, items.labels,
            [&](std::size_t n, const std::string& label) { view.nodes[n].label = label; });
  for (Topic& node : view.nodes) {
    if (!node.name.empty()) node.label = node.name;
  }
}

void add_item_stability(const ModelItems& items, TopicView& view) {
  for (std::size_t j = 0; j < items.item_stability.size(); ++j) {
    const double stability = items.item_stability[j];
    if (!std::isnan(stability)) view.items[items.number_of(static_cast<Index>(j))].stability = stability;
  }
}

// The sizes of the nodes: items that belong to them or to a node below.
void count_items(TopicView& view) {
  for (Topic& node : view.nodes) node.size = 0;
  for (const TopicItem& item : view.items) {
    for (Index n = item.node; n >= 0; n = view.nodes[n].parent) ++view.nodes[n].size;
  }
}

}  // namespace

void add_outside_items(const ModelItems& items, TopicView& view) {
  std::unordered_map<std::string, Index> nodes;
  for (std::size_t n = 1; n < view.nodes.size(); ++n) nodes[view.nodes[n].id] = static_cast<Index>(n);
  for (std::size_t e = 0; e < items.outside_items.size(); ++e) {
    TopicItem& item = view.items[items.outside_items[e]];
    std::string id = items.outside_ids[e];
    while (!id.empty() && !nodes.contains(id)) id.resize(id.find('.') == std::string::npos ? 0 : id.rfind('.'));
    if (id.empty()) continue;
    item.dropped = false;
    item.outside = true;
    const Index node = nodes[id];
    item.node = item.leaf = view.nodes[node].joined < 0 ? node : view.nodes[node].joined;
    item.weight = items.outside_weights[e];
  }
}

std::vector<Index> TopicView::labels() const {
  std::vector<Index> all;
  all.reserve(items.size());
  for (const TopicItem& item : items) all.push_back(item.node);
  return all;
}

Index TopicView::find(const std::string& id) const {
  const std::string full = full_id(id);
  for (std::size_t n = 1; n < nodes.size(); ++n) {
    if (nodes[n].id == id || nodes[n].id == full) return static_cast<Index>(n);
  }
  for (std::size_t n = 1; n < nodes.size(); ++n) {
    if (!id.empty() && nodes[n].label == id) return static_cast<Index>(n);
  }
  throw InvalidArgument(graph_nodes.empty() ? "There is no topic " + id + "; `copse show` without `topic` lists all."
                                            : "there is no community '" + id + "'; `copse show` lists all.");
}

TopicView view_of(const TreeModel& model, const ViewLimits& limits) {
  const Tree& tree = model.versions.back().tree;
  const std::vector<Index>& flat = model.versions.back().flat;
  const Representatives representatives(model.items, tree.cols, limits.representatives);
  const JoinedTopics topics(tree);
  TopicView view;
  for (Index n = 0; n < static_cast<Index>(tree.nodes.size()); ++n) {
    const TreeNode& node = tree.nodes[n];
    Topic& topic = view.nodes.emplace_back();
    topic.id = tree.id(n);
    topic.name = node.name;
    topic.parent = node.parent;
    topic.leaf = node.first < 0;
    topic.dropped = node.dropped;
    if (std::isfinite(node.score)) topic.score = node.score;
    topic.joined = node.joined < 0 ? -1 : joined_end(tree, n);
    const RankedTerms& terms = topics(n);
    for (std::size_t r = 0; r < std::min(limits.words, terms.terms.size()); ++r)
      topic.words.push_back(feature_of(model.items, terms.terms[r], terms.weights[r]));
    std::vector<Ranked> candidates;
    for (std::size_t e = 0; limits.representatives > 0 && e < node.weights.size(); ++e)
      candidates.push_back({node.items[e], node.weights[e]});
    topic.representatives = representatives(std::move(candidates));
  }
  add_known(model.items, view);
  view.outline = outline_of(tree);

  const auto leaf = tree.partition(tree.splits());
  const TreeVersion& version = model.versions.back();
  const auto paths = flat.empty() ? std::optional<SoftPaths>(tree) : std::nullopt;
  const std::vector<Index> numbers = model.items.kept_numbers();
  view.items.reserve(numbers.size());
  for (const Index j : numbers) {
    TopicItem& item = view.items.emplace_back();
    item.dropped = j < 0;
    if (item.dropped) continue;
    item.leaf = leaf[j];
    item.outlier = leaf[j] < 0;
    if (flat.empty()) {
      item.node = leaf[j];
      item.weight = paths->weights(j).empty() ? 1 : paths->weights(j).back();
      item.second = paths->second[j];
      item.second_weight = paths->beside[j];
    } else {
      item.node = flat[j] < 0 ? leaf[j] : flat[j];
      item.weight = version.flat_weights[j];
      item.second = version.flat_second[j];
      item.second_weight = version.flat_second_weights[j];
    }
  }
  add_item_stability(model.items, view);
  add_outside_items(model.items, view);
  count_items(view);
  // The sizes that are shown, which are not those of the binary tree: items are fitted anew, and some come from
  // outside.
  for (auto& children : view.outline.children)
    std::ranges::stable_sort(children, std::ranges::greater(), [&](Index n) { return view.nodes[n].size; });
  return view;
}

TopicView view_of(const FlatModel& model, const ViewLimits& limits) {
  const Index k = model.w.cols();
  const Clusters clusters = std::visit([](const auto& h) { return cluster_items(h); }, model.h.values());
  const Representatives representatives(model.items, model.h.rows(), limits.representatives);
  const auto best =
      std::visit([&](const auto& w) { return top_entries(w, static_cast<Index>(limits.words)); }, model.w.values());
  TopicView view;
  view.nodes.push_back({.id = "", .leaf = false});
  std::vector<std::vector<Ranked>> candidates(static_cast<std::size_t>(k));
  for (Index j = 0; limits.representatives > 0 && j < model.h.rows(); ++j) {
    if (clusters.labels[j] >= 0) candidates[clusters.labels[j]].push_back({j, clusters.weights[j]});
  }
  for (Index c = 0; c < k; ++c) {
    Topic& topic = view.nodes.emplace_back();
    topic.id = std::to_string(c);
    topic.parent = 0;
    if (!model.names.empty()) topic.name = model.names.back()[c];
    for (const Index i : best[c]) {
      if (model.w(i, c) > 0) topic.words.push_back(feature_of(model.items, i, model.w(i, c)));
    }
    topic.representatives = representatives(std::move(candidates[c]));
  }
  add_known(model.items, view);
  view.outline.parent.assign(view.nodes.size(), 0);
  view.outline.parent[0] = -1;
  view.outline.children.resize(view.nodes.size());

  const std::vector<Index> numbers = model.items.kept_numbers();
  view.items.reserve(numbers.size());
  for (const Index j : numbers) {
    TopicItem& item = view.items.emplace_back();
    item.dropped = j < 0;
    if (item.dropped) continue;
    item.outlier = clusters.labels[j] < 0;
    if (item.outlier) continue;
    const BestTwo best = std::visit([&](const auto& h) { return best_two(h.row(j)); }, model.h.values());
    item.node = item.leaf = best.first + 1;
    item.weight = best.first_share;
    item.second = best.second < 0 ? -1 : best.second + 1;
    item.second_weight = best.second_share;
  }
  add_item_stability(model.items, view);
  add_outside_items(model.items, view);
  count_items(view);
  std::vector<Index>& topics = view.outline.children[0];
  for (Index c = 1; c <= k; ++c) topics.push_back(c);
  std::ranges::stable_sort(topics, std::greater(), [&](Index c) { return view.nodes[c].size; });
  return view;
}

void add_main_classes(std::vector<Topic>& topics, const std::vector<Index>& labels,
                      const std::vector<std::string>& classes) {
  std::vector<std::map<std::string, Index>> counts(topics.size());
  for (std::size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] >= 0 && !classes[j].empty()) ++counts[labels[j]][classes[j]];
  }
  for (std::size_t c = 0; c < topics.size(); ++c) {
    if (counts[c].empty()) continue;
    const auto most = std::ranges::max_element(counts[c], {}, [](const auto& entry) { return entry.second; });
    topics[c].main_class = most->first;
    topics[c].main_class_share = static_cast<double>(most->second) / static_cast<double>(topics[c].size);
  }
}

}  // namespace copse
