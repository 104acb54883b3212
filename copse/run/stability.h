// How sure a topic is: the share of its pairs of items that stay together when a part of the items is fitted anew,
// beyond what chance gives.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "copse/base/events.h"
#include "copse/choose/parts.h"
#include "copse/describe/topic_view.h"
#include "copse/matrix/dataset.h"

namespace copse {

// Topics as sets of items: all that stability asks of a result.
struct Hierarchy {
  std::vector<Index> parent;  // of every node, which comes after it; the first is the root, with -1
  std::vector<Index> leaf;    // the node of every item; -1: none
};

// The items that the view places in a topic.
Hierarchy hierarchy_of(const TopicView& view, const ModelItems& items);
// The same of a model whose items have no names yet.
template <class Model>
Hierarchy hierarchy_of(Model& model, Index items) {
  model.items.item_names.resize(static_cast<std::size_t>(items));
  return hierarchy_of(view_of(model, {.words = 0, .representatives = 0}), model.items);
}

// From 0, what chance gives or less, to 1. NaN where nothing is known: of the root, of a topic of which no two items
// were drawn, of an item without a topic, and where chance alone keeps all pairs together (a single topic).
struct Stability {
  std::vector<double> nodes;
  std::vector<double> items;
};

// Compares the topics of all items with those of subsamples S. Let n_A be the number of items of a topic A in S, n_Ac
// how many of these are in the leaf c of the topics that were found in S, and p(n) = n (n - 1) the ordered pairs of n.
//   of a leaf or flat topic A:  sum_S sum_c p(n_Ac) / sum_S p(n_A)
//   of an inner node A:         sum_S p(n_AB) / sum_S p(n_A), B the node found in S, but for the root, with the largest
//                               |A and B| / |A or B|, counted in S
//   of item i in the leaf A:    sum_S (n_Ac - 1) / sum_S (n_A - 1), over the S that hold i, c the leaf found for i
// An item that no leaf of S holds is together with none. These shares s are corrected as [Hubert & Arabie 1985] correct
// the Rand index: (s - e) / (1 - e), where e is the same share, over the same S, of any two items of S, whatever topic
// they are of. So a topic is not sure because the topics are few or because one of them holds nearly all. All sums are
// over pairs, counted by tables of leaves against leaves.
class StabilityCount {
 public:
  explicit StabilityCount(Hierarchy whole);

  // What was found in a subsample; items[e] is the number of its item e among all.
  void add(std::span<const Index> items, const Hierarchy& found);
  Stability shares() const;

 private:
  Hierarchy whole_;
  std::vector<double> node_pairs_, node_chance_, node_all_;  // that stay together, that chance keeps together, all
  std::vector<double> item_pairs_, item_chance_, item_all_;
};

// 80 % of the items, ascending.
std::vector<Index> subsample(std::span<const std::uint64_t> keys, std::uint64_t seed, int number);

// Finds the topics of a part of the items; none if it was interrupted. `number` counts the parts from 0.
template <class T>
using FindTopics = std::function<std::optional<Hierarchy>(const Dataset<T>& part, int number)>;

// Draws `count` subsamples and finds the topics of each. The outcome goes into the view and the model's items. An
// interruption ends it; what was found until then counts, and `notes` say so.
template <class T>
void measure_stability(const Dataset<T>& data, int count, std::uint64_t seed, const FindTopics<T>& find,
                       const RunEvents& events, TopicView& view, ModelItems& items, std::vector<std::string>& notes);

}  // namespace copse
