// A result as topics with their words and documents, flat, a tree or communities: what `show` and the page are made
// from.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "copse/describe/outline.h"
#include "copse/model/flat_model.h"
#include "copse/model/graph_model.h"
#include "copse/model/limits.h"
#include "copse/model/topic.h"
#include "copse/model/tree_model.h"

namespace copse {

struct TopicItem {
  Index node = -1;    // the topic that it belongs to: in a tree by flattening, or else its leaf; -1: none
  Index leaf = -1;    // where the splits of a tree put it; -1 for an outlier
  Index second = -1;  // the next best node, or -1
  double weight = 0;  // 0 to 1: of its topic among all
  double second_weight = 0;
  std::optional<double> stability = {};
  bool outlier = false;  // a tree: set aside by a split; a flat result: no topic shares a feature with it
  bool outside = false;  // it was kept out of the fit and placed afterwards
  bool dropped = false;  // it has no entry that the model knows: documents without a known word
};

// An item of a graph beside what TopicItem says.
struct GraphNode {
  double inside = 0;                                // weight of its edges within its community
  std::vector<std::pair<Index, double>> also = {};  // other communities where its membership is at least `overlap`
};

struct TopicView {
  // nodes[0] is the root; the topics of a flat result are its children, and so are communities and, after these, the
  // pieces of a graph that took no part.
  std::vector<Topic> nodes;
  std::vector<TopicItem> items;          // all of the file
  Outline outline;                       // which nodes a reader sees, and below which; no pieces
  std::vector<GraphNode> graph_nodes{};  // of a graph: those of the items that are nodes, in their order

  // The topic of every item, -1 for none.
  std::vector<Index> labels() const;

  // The node with this id, in full or short (copse/tree/ids.h), or else the one that is called this. Throws
  // InvalidArgument if there is none.
  Index find(const std::string& id) const;
};

struct ViewLimits {
  std::size_t words = most_words;
  std::size_t representatives = most_representatives;
  double overlap = 0.25;  // a node belongs to every community where its membership is at least this, and to its own
};

// Near duplicates do not represent a topic.
TopicView view_of(const TreeModel& model, const ViewLimits& limits = {});
TopicView view_of(const FlatModel& model, const ViewLimits& limits = {});
TopicView view_of(const CommunityModel& model, const ViewLimits& limits = {});

// Items that were placed after the fit. A topic that an edit took away gives them to the nearest one above.
void add_outside_items(const ModelItems& items, TopicView& view);

// Fills the most frequent class of each topic: classes[j] is that of the item that belongs to topics[labels[j]].
void add_main_classes(std::vector<Topic>& topics, const std::vector<Index>& labels,
                      const std::vector<std::string>& classes);

}  // namespace copse
