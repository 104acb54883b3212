#include "copse/describe/graph_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "copse/base/error.h"
#include "copse/graph/quality.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

constexpr std::size_t label_words = 3;

// The largest values first, of equal ones the lower number, at most `count` of them and none that is zero.
std::vector<std::pair<Index, double>> best_of(std::vector<std::pair<Index, double>> values, Index count) {
  std::erase_if(values, [](const auto& entry) { return !(entry.second > 0); });
  const auto kept = std::min(count, static_cast<Index>(values.size()));
  std::ranges::partial_sort(values, values.begin() + kept, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  values.resize(static_cast<std::size_t>(kept));
  return values;
}

template <class T>
GraphNode place_of(const CommunityModel<T>& model, Index node, double overlap) {
  GraphNode result;
  const Index k = model.k();
  result.community = model.labels[node];
  const auto row = model.memberships.row(node);
  result.weight = result.community < k ? static_cast<double>(row[result.community]) : 1;
  for (Index c = 0; c < k; ++c) {
    if (c == result.community) continue;
    const auto share = static_cast<double>(row[c]);
    if (share > result.second_weight) {
      result.second = c;
      result.second_weight = share;
    }
    if (share >= overlap) result.also.emplace_back(c, share);
  }
  std::ranges::stable_sort(result.also, [](const auto& a, const auto& b) { return a.second > b.second; });
  return result;
}

// The mean of every feature in a community, less its mean over all items: what sets the community apart.
template <class T>
void add_features(const CommunityModel<T>& model, Index count, std::vector<Community>& communities) {
  const Index k = model.k(), features = model.data.features(), n = model.data.items();
  std::vector<double> all(static_cast<std::size_t>(features), 0.0);
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(k));
  for (Index i = 0; i < n; ++i) {
    visit_nonzeros(model.data, i, [&](Index feature, T value) { all[feature] += static_cast<double>(value); });
    if (model.labels[i] < k) members[model.labels[i]].push_back(i);
  }
  std::vector<double> here(static_cast<std::size_t>(features), 0.0);
  for (Index c = 0; c < k; ++c) {
    if (members[c].empty()) continue;
    std::ranges::fill(here, 0.0);
    for (const Index i : members[c])
      visit_nonzeros(model.data, i, [&](Index feature, T value) { here[feature] += static_cast<double>(value); });
    std::vector<std::pair<Index, double>> gains;
    for (Index f = 0; f < features; ++f)
      gains.emplace_back(f, here[f] / static_cast<double>(members[c].size()) - all[f] / static_cast<double>(n));
    for (const auto& [feature, gain] : best_of(std::move(gains), count)) {
      const auto& names = model.items.feature_names;
      communities[c].top_features.emplace_back(
          names.empty() ? std::to_string(model.items.kept_features[feature]) : names[feature], gain);
    }
  }
}

// The most frequent class of each; of equally frequent ones the first by name.
template <class T>
void add_classes(const CommunityModel<T>& model, std::vector<Community>& communities) {
  std::vector<std::map<std::string, Index>> counts(communities.size());
  for (std::size_t i = 0; i < model.labels.size(); ++i) {
    const std::string& name = model.items.classes[model.items.number_of(static_cast<Index>(i))];
    if (model.labels[i] < model.k() && !name.empty()) ++counts[model.labels[i]][name];
  }
  for (std::size_t c = 0; c < communities.size(); ++c) {
    if (counts[c].empty()) continue;
    const auto most = std::ranges::max_element(counts[c], {}, [](const auto& entry) { return entry.second; });
    communities[c].main_class = most->first;
    communities[c].main_class_share = static_cast<double>(most->second) / static_cast<double>(communities[c].nodes);
  }
}

std::string label_of(const Community& community, bool features) {
  std::vector<std::string> words;
  for (std::size_t i = 0; features && i < std::min(label_words, community.top_features.size()); ++i)
    words.push_back(community.top_features[i].first);
  for (std::size_t i = 0; !features && i < std::min(label_words, community.central.size()); ++i)
    words.push_back(community.central[i].name);
  return joined(words, ", ");
}

}  // namespace

template <class T>
GraphView view_of(const CommunityModel<T>& model, const GraphViewOptions& options) {
  const SparseMatrix<T>& a = model.graph.weights;
  const Index n = a.cols, k = model.k();
  GraphView view;
  view.numbers = model.items.kept_numbers();
  view.communities.resize(static_cast<std::size_t>(k));
  std::vector<std::map<Index, double>> links(static_cast<std::size_t>(k));
  std::vector<std::vector<std::pair<Index, double>>> members(static_cast<std::size_t>(k));
  for (Index i = 0; i < n; ++i) {
    GraphNode node = place_of(model, i, options.overlap);
    for (Index p = a.offsets[i]; p < a.offsets[i + 1]; ++p) {
      const Index other = model.labels[a.indices[p]];
      const auto weight = static_cast<double>(a.values[p]);
      if (other == node.community) {
        node.inside += weight;
      } else if (node.community < k) {
        links[node.community][other] += weight;
      }
    }
    if (node.community >= k) {
      view.piece_sizes.resize(std::max(view.piece_sizes.size(), static_cast<std::size_t>(node.community - k + 1)));
      ++view.piece_sizes[node.community - k];
    } else {
      Community& community = view.communities[node.community];
      ++community.nodes;
      community.inside += node.inside / 2;
      members[node.community].emplace_back(i, node.inside);
    }
    for (const auto& [other, share] : node.also) ++view.communities[other].overlapping;
    view.nodes.push_back(std::move(node));
  }
  const GraphQuality quality = graph_quality<T>(a, model.labels);
  for (Index c = 0; c < k; ++c) {
    Community& community = view.communities[c];
    community.id = std::to_string(c);
    if (c < static_cast<Index>(quality.conductance.size())) community.conductance = quality.conductance[c];
    for (const auto& [node, weight] : best_of(std::move(members[c]), options.central)) {
      const Index number = model.items.number_of(node);
      community.central.push_back({number, model.items.item_names[number], weight});
    }
    std::vector<std::pair<Index, double>> others(links[c].begin(), links[c].end());
    for (const auto& [other, weight] : best_of(std::move(others), k)) {
      community.leaving += weight;
      community.neighbours.push_back({other, weight});
    }
  }
  if (model.has_items()) add_features(model, options.features, view.communities);
  if (!model.items.classes.empty()) add_classes(model, view.communities);
  // Features without names say nothing.
  const bool features = model.has_items() && !model.items.feature_names.empty();
  for (Community& community : view.communities) community.label = label_of(community, features);
  return view;
}

Index GraphView::find(const std::string& id) const {
  for (std::size_t c = 0; c < communities.size(); ++c) {
    if (communities[c].id == id) return static_cast<Index>(c);
  }
  for (std::size_t c = 0; c < communities.size(); ++c) {
    if (communities[c].label == id) return static_cast<Index>(c);
  }
  throw InvalidArgument(
      fmt::format("there is no community '{}'; they are called 0 to {}.", id, communities.size() - 1));
}

template GraphView view_of(const CommunityModel<float>&, const GraphViewOptions&);
template GraphView view_of(const CommunityModel<double>&, const GraphViewOptions&);

}  // namespace copse
