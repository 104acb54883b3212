// What a run found, and everything that is known about it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "copse/base/stopwatch.h"
#include "copse/describe/topic_view.h"
#include "copse/model/run_report.h"

namespace copse {

struct Result {
  TopicView view;
  RunReport report;
  Index top = 10;        // features to name per topic, central nodes per community
  Stopwatch clock = {};  // since the run began
};

struct FlatResult : Result {
  FlatModel model;
};

struct TreeResult : Result {
  TreeModel model;
  std::string explanation = {};                             // why it has fewer leaves than asked for, or empty
  std::vector<ClusteringMeasures> partition_measures = {};  // of 2, 3, ... leaves, where the truth is known

  const Tree& tree() const { return model.versions.back().tree; }
  // The leaf of every item by flattening; empty if there was none.
  const std::vector<Index>& flat() const { return model.versions.back().flat; }
};

// report.graph is there.
struct GraphResult : Result {
  CommunityModel model;
  double overlap = ViewLimits().overlap;
};

using AnyResult = std::variant<FlatResult, TreeResult, GraphResult>;

// Fills the view, the topics, the sizes and the measures from the model.
void describe(FlatResult& result);
void describe(TreeResult& result);
void describe(GraphResult& result);

// The cluster of every item, -1 for none: the number of a component, of a leaf among tree.leaf_nodes(), or of a
// community.
std::vector<Index> cluster_labels(const FlatResult& result);
std::vector<Index> cluster_labels(const TreeResult& result);
std::vector<Index> cluster_labels(const GraphResult& result);

// Why the tree has fewer leaves than wanted; empty if it has not. Automatic: why it stopped where it did.
std::string explain_leaves(const Tree& tree, Index wanted, bool automatic = false);

}  // namespace copse
