// The communities of a graph: their central nodes, their neighbours, and where each node belongs.
#include <algorithm>
#include <map>
#include <numeric>

#include "copse/describe/topic_view.h"
#include "copse/graph/quality.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

constexpr std::size_t label_words = 3;

// The largest values first, of equal ones the lower number, at most `count` of them and none that is zero.
std::vector<std::pair<Index, double>> best_of(std::vector<std::pair<Index, double>> values, std::size_t count) {
  std::erase_if(values, [](const auto& entry) { return !(entry.second > 0); });
  const std::size_t kept = std::min(count, values.size());
  std::ranges::partial_sort(
      values, values.begin() + static_cast<std::ptrdiff_t>(kept),
      [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  values.resize(kept);
  return values;
}

// Where a node belongs by its memberships.
void place(const CommunityModel& model, Index node, double overlap, TopicItem& item, GraphNode& shared) {
  const Index k = model.k(), own = model.labels[node];
  item.node = item.leaf = own + 1;
  item.weight = own < k ? model.memberships(node, own) : 1;
  for (Index c = 0; c < k; ++c) {
    if (c == own) continue;
    const double share = model.memberships(node, c);
    if (share > item.second_weight) {
      item.second = c + 1;
      item.second_weight = share;
    }
    if (share >= overlap) shared.also.emplace_back(c, share);
  }
  std::ranges::stable_sort(shared.also, [](const auto& a, const auto& b) { return a.second > b.second; });
}

// The mean of every feature in a community, less its mean over all items: what sets the community apart.
template <class T>
void add_features(const Dataset<T>& data, const CommunityModel& model, std::size_t count,
                  std::vector<Topic>& communities) {
  const Index k = model.k(), features = data.features(), n = data.items();
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(k));
  for (Index i = 0; i < n; ++i) {
    if (model.labels[i] < k) members[model.labels[i]].push_back(i);
  }
  const auto add = [&](Index i, std::vector<double>& sums) {
    visit_nonzeros(data, i, [&](Index feature, T value) { sums[feature] += static_cast<double>(value); });
  };
  std::vector<double> all(static_cast<std::size_t>(features), 0.0), here = all;
  for (Index i = 0; i < n; ++i) add(i, all);
  for (Index c = 0; c < k; ++c) {
    if (members[c].empty()) continue;
    std::ranges::fill(here, 0.0);
    for (const Index i : members[c]) add(i, here);
    std::vector<std::pair<Index, double>> gains;
    for (Index f = 0; f < features; ++f)
      gains.emplace_back(f, here[f] / static_cast<double>(members[c].size()) - all[f] / static_cast<double>(n));
    const auto& names = model.items.feature_names;
    for (const auto& [f, gain] : best_of(std::move(gains), count))
      communities[c].words.push_back(
          {f, gain, names.empty() ? std::to_string(model.items.kept_features[f]) : names[f]});
  }
}

std::string label_of(const std::vector<Ranked>& ranked) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(label_words, ranked.size()); ++i) names.push_back(ranked[i].name);
  return joined(names, ", ");
}

}  // namespace

TopicView view_of(const CommunityModel& model, const ViewLimits& limits) {
  const ModelItems& items = model.items;
  const Index n = model.nodes(), k = model.k();
  const Index groups = n == 0 ? k : std::max(k, 1 + *std::ranges::max_element(model.labels));
  std::vector<Topic> topics(static_cast<std::size_t>(groups));
  TopicView view;
  for (const Index i : items.kept_numbers()) view.items.push_back({.dropped = i < 0});
  std::vector<std::map<Index, double>> links(topics.size());
  std::vector<std::vector<std::pair<Index, double>>> members(topics.size());
  for (Index i = 0; i < n; ++i) {
    GraphNode& node = view.graph_nodes.emplace_back();
    place(model, i, limits.overlap, view.items[items.number_of(i)], node);
    const Index own = model.labels[i];
    model.visit_edges(i, [&](Index other, double weight) {
      const Index to = model.labels[other];
      (to == own ? node.inside : links[own][to]) += weight;
    });
    ++topics[own].size;
    members[own].emplace_back(i, node.inside);
  }
  const GraphQuality quality =
      std::visit([&]<class T>(const CommunityGraph<T>& known) { return graph_quality<T>(known.weights, model.labels); },
                 model.graph);
  for (Index c = 0; c < groups; ++c) {
    topics[c].id = std::to_string(c);
    topics[c].parent = 0;
    CommunityFacts& facts = topics[c].community.emplace();
    for (const auto& [node, inside] : members[c]) facts.inside += inside / 2;
    if (c < static_cast<Index>(quality.conductance.size())) facts.conductance = quality.conductance[c];
    for (const auto& [node, weight] : best_of(std::move(members[c]), limits.representatives))
      topics[c].representatives.push_back({items.number_of(node), weight, items.item_names[items.number_of(node)]});
    facts.neighbours = best_of({links[c].begin(), links[c].end()}, static_cast<std::size_t>(groups));
    for (const auto& [other, weight] : facts.neighbours) facts.leaving += weight;
  }
  for (const GraphNode& node : view.graph_nodes) {
    for (const auto& [other, share] : node.also) ++topics[other].community->overlapping;
  }
  if (model.has_items())
    std::visit([&](const auto& known) { add_features(known.data, model, limits.words, topics); }, model.graph);
  if (!items.classes.empty()) {
    std::vector<std::string> classes;
    for (Index i = 0; i < n; ++i) classes.push_back(items.classes[items.number_of(i)]);
    add_main_classes(topics, model.labels, classes);
  }
  // Features without names say nothing.
  const bool features = model.has_items() && !items.feature_names.empty();
  for (Topic& topic : topics) topic.label = label_of(features ? topic.words : topic.representatives);
  view.nodes.push_back({.leaf = false});
  std::ranges::move(topics, std::back_inserter(view.nodes));
  view.outline.parent.assign(view.nodes.size(), -1);
  view.outline.children.resize(view.nodes.size());
  for (Index c = 1; c <= k; ++c) {
    view.outline.parent[c] = 0;
    view.outline.children[0].push_back(c);
  }
  add_outside_items(items, view);
  return view;
}

}  // namespace copse
