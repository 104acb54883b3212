#include "copse/run/stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr double sample_share = 0.8;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double pairs(double count) { return count * (count - 1); }

std::vector<char> inner_nodes(const std::vector<Index>& parent) {
  std::vector<char> inner(parent.size(), 0);
  for (const Index above : parent) {
    if (above >= 0) inner[above] = 1;
  }
  return inner;
}

// Counts of leaves become counts of nodes: each adds to its parent, which comes before it.
void add_up(const std::vector<Index>& parent, std::vector<double>& counts) {
  for (std::size_t n = parent.size(); n-- > 1;) counts[parent[n]] += counts[n];
}

// Puts what was found into the model's items and its view.
void take(const Stability& stability, TopicView& view, ModelItems& items) {
  items.stability_ids.clear();
  items.stability.clear();
  for (std::size_t n = 1; n < view.nodes.size(); ++n) {
    if (std::isnan(stability.nodes[n])) continue;
    items.stability_ids.push_back(view.nodes[n].id);
    items.stability.push_back(stability.nodes[n]);
    view.nodes[n].stability = stability.nodes[n];
  }
  items.item_stability = stability.items;
  for (std::size_t j = 0; j < stability.items.size(); ++j) {
    if (!std::isnan(stability.items[j]))
      view.items[items.number_of(static_cast<Index>(j))].stability = stability.items[j];
  }
}

}  // namespace

Hierarchy hierarchy_of(const TopicView& view, const ModelItems& items) {
  Hierarchy hierarchy;
  for (const Topic& node : view.nodes) hierarchy.parent.push_back(node.parent);
  const std::vector<Index> numbers = items.kept_numbers();
  hierarchy.leaf.assign(static_cast<std::size_t>(std::ranges::count_if(numbers, [](Index j) { return j >= 0; })), -1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= 0) hierarchy.leaf[numbers[i]] = view.items[i].node;
  }
  return hierarchy;
}

StabilityCount::StabilityCount(Hierarchy whole)
    : whole_(std::move(whole)),
      node_pairs_(whole_.parent.size(), 0),
      node_chance_(whole_.parent.size(), 0),
      node_all_(whole_.parent.size(), 0),
      item_pairs_(whole_.leaf.size(), 0),
      item_chance_(whole_.leaf.size(), 0),
      item_all_(whole_.leaf.size(), 0) {}

void StabilityCount::add(std::span<const Index> items, const Hierarchy& found) {
  // Tables: n_Ac of leaves against leaves, and the sizes of all nodes.
  std::map<std::pair<Index, Index>, double> cells;
  std::vector<double> sizes(whole_.parent.size(), 0), found_sizes(found.parent.size(), 0);
  for (std::size_t e = 0; e < items.size(); ++e) {
    const Index leaf = whole_.leaf[items[e]], other = found.leaf[e];
    if (leaf >= 0) ++sizes[leaf];
    if (other >= 0) ++found_sizes[other];
    if (leaf >= 0 && other >= 0) ++cells[{leaf, other}];
  }

  const auto drawn = static_cast<double>(items.size());
  const double all_pairs = std::max(1.0, pairs(drawn));  // with one item no pair is counted
  for (std::size_t e = 0; e < items.size(); ++e) {
    const Index leaf = whole_.leaf[items[e]], other = found.leaf[e];
    if (leaf < 0) continue;
    item_all_[items[e]] += sizes[leaf] - 1;
    if (other < 0) continue;
    item_pairs_[items[e]] += cells.at({leaf, other}) - 1;
    item_chance_[items[e]] += (sizes[leaf] - 1) * (found_sizes[other] - 1) * drawn / all_pairs;
  }
  const std::vector<char> inner = inner_nodes(whole_.parent);
  for (const auto& [cell, count] : cells) {
    if (!inner[cell.first]) node_pairs_[cell.first] += pairs(count);
  }
  double together_by_chance = 0;  // of two items of the subsample
  for (const double size : found_sizes) together_by_chance += pairs(size) / all_pairs;

  add_up(whole_.parent, sizes);
  add_up(found.parent, found_sizes);
  std::vector<std::vector<std::pair<Index, double>>> below(whole_.parent.size());  // leaves found, of each node
  for (const auto& [cell, count] : cells) below[cell.first].emplace_back(cell.second, count);
  for (std::size_t n = whole_.parent.size(); n-- > 1;) {
    node_all_[n] += pairs(sizes[n]);
    auto& above = below[whole_.parent[n]];
    if (whole_.parent[n] > 0) above.insert(above.end(), below[n].begin(), below[n].end());
    const auto leaves = std::exchange(below[n], {});
    if (!inner[n]) {
      node_chance_[n] += pairs(sizes[n]) * together_by_chance;
      continue;
    }
    std::vector<double> common(found.parent.size(), 0);
    for (const auto& [leaf, count] : leaves) common[leaf] += count;
    add_up(found.parent, common);
    double best = 0, together = 0, size = 0;
    for (std::size_t b = 1; b < common.size(); ++b) {
      const double either = sizes[n] + found_sizes[b] - common[b];
      if (either > 0 && common[b] / either > best) {
        best = common[b] / either;
        together = common[b];
        size = found_sizes[b];
      }
    }
    node_pairs_[n] += pairs(together);
    node_chance_[n] += pairs(sizes[n]) * pairs(size) / all_pairs;
  }
}

Stability StabilityCount::shares() const {
  // What is left of `all` beside chance may be rounding.
  const auto corrected = [](const auto& parts, const auto& chance, const auto& all) {
    std::vector<double> shares;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double rest = all[i] - chance[i];
      shares.push_back(rest > 1e-9 * all[i] ? std::max(0.0, (parts[i] - chance[i]) / rest) : unknown);
    }
    return shares;
  };
  return {corrected(node_pairs_, node_chance_, node_all_), corrected(item_pairs_, item_chance_, item_all_)};
}

std::vector<Index> subsample(std::span<const std::uint64_t> keys, std::uint64_t seed, int number) {
  return draw_items(keys, sample_share, mixed_seed(seed, static_cast<std::uint64_t>(number)));
}

template <class T>
void measure_stability(const Dataset<T>& data, int count, std::uint64_t seed, const FindTopics<T>& find,
                       const RunEvents& events, TopicView& view, ModelItems& items, std::vector<std::string>& notes) {
  StabilityCount counter(hierarchy_of(view, items));
  int done = 0;
  try {
    const std::vector<std::uint64_t> keys = item_keys(data);
    for (; done < count; ++done) {
      check_cancelled();
      events.show(fmt::format("stability: subsample {} of {} ...", done + 1, count));
      const std::vector<Index> part = subsample(keys, seed, done);
      const auto found = find(part_of(data, part), done);
      if (!found) break;
      counter.add(part, *found);
    }
  } catch (const Cancelled&) {
    // What was found until now is kept.
  }
  if (done < count)
    notes.push_back(fmt::format("The run was interrupted: stability is that of {} of {} subsamples.", done, count));
  if (done > 0) take(counter.shares(), view, items);
}

#define COPSE_INSTANTIATE(T)                                                                                     \
  template void measure_stability(const Dataset<T>&, int, std::uint64_t, const FindTopics<T>&, const RunEvents&, \
                                  TopicView&, ModelItems&, std::vector<std::string>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
