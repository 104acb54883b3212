// A result as topics with their words and documents, flat or a tree: what `show` and the page are made from.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "copse/describe/outline.h"
#include "copse/model/flat_model.h"
#include "copse/model/limits.h"
#include "copse/model/tree_model.h"

namespace copse {

struct TopicNode {
  std::string id;          // as in tree.json, or the number of a flat topic; "" for the root
  std::string name = {};   // given by a person, or empty
  std::string label = {};  // what it is called: the given name, or else a few terms; see names.h
  Index parent = -1;       // before the node itself
  Index size = 0;          // items that belong to it or to a node below
  bool leaf = true;
  bool dropped = false;  // by a person: its items count as outliers
  Index joined = -1;     // the node that a person gave its items to
  std::optional<double> score = {};
  std::optional<double> coherence = {};
  std::optional<double> stability = {};                        // where it was measured, as stability.h has it
  std::vector<std::pair<Index, double>> words = {};            // features with their weights, best first
  std::vector<std::pair<Index, double>> representatives = {};  // items, among all, with their weights, best first
};

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

struct TopicView {
  std::vector<TopicNode> nodes;  // nodes[0] is the root; the topics of a flat result are its children
  std::vector<TopicItem> items;  // all of the file
  Outline outline;               // which nodes a reader sees, and below which

  // The topic of every item, -1 for none.
  std::vector<Index> labels() const;

  // The node with this id, in full or short (copse/tree/ids.h), or else the one that is called this. Throws
  // InvalidArgument if there is none.
  Index find(const std::string& id) const;
};

struct ViewLimits {
  std::size_t words = most_words;
  std::size_t representatives = most_representatives;
};

// Near duplicates do not represent a topic.
template <class T>
TopicView view_of(const TreeModel<T>& model, const ViewLimits& limits = {});
template <class T>
TopicView view_of(const FlatModel<T>& model, const ViewLimits& limits = {});

}  // namespace copse
