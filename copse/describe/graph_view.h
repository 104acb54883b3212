// What a person wants to know of communities: their central nodes, their neighbours, and where each node belongs.
#pragma once

#include <vector>

#include "copse/model/graph_facts.h"
#include "copse/model/graph_model.h"
#include "copse/model/limits.h"

namespace copse {

// A node of the graph, by its number among those of the graph.
struct GraphNode {
  Index community = 0;  // k and above: a piece that took no part
  double weight = 0;    // its membership there; 1 in a piece
  Index second = -1;    // the next best community, or -1
  double second_weight = 0;
  double inside = 0;                                // weight of its edges within its community
  std::vector<std::pair<Index, double>> also = {};  // other communities where its membership is at least `overlap`
};

struct GraphView {
  std::vector<Community> communities;  // k of them
  std::vector<GraphNode> nodes;
  std::vector<Index> piece_sizes;  // of what took no part: cluster k, k + 1, ...
  // Of all nodes of the file: the number in the graph, or -1 for items that preparation dropped.
  std::vector<Index> numbers;

  // The community with this id or label. Throws InvalidArgument if there is none.
  Index find(const std::string& id) const;
};

struct GraphViewOptions {
  double overlap = 0.25;  // a node belongs to every community where its membership is at least this, and to its own
  Index central = 10;     // nodes to name per community
  Index features = most_words;
};

template <class T>
GraphView view_of(const CommunityModel<T>& model, const GraphViewOptions& options = {});

}  // namespace copse
