// A tree and everything that is known about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/base/stopwatch.h"
#include "copse/describe/topic_view.h"
#include "copse/graph/graph.h"
#include "copse/matrix/data.h"
#include "copse/model/run_report.h"

namespace copse {

template <class T>
struct TreeResult {
  TreeModel<T> model;
  TopicView view;
  RunReport report;
  Index top = 10;                                           // terms and items to name per node
  std::string explanation = {};                             // why it has fewer leaves than asked for, or empty
  std::vector<ClusteringMeasures> partition_measures = {};  // of 2, 3, ... leaves, where the truth is known
  Stopwatch clock = {};                                     // since the run began

  const Tree<T>& tree() const { return model.versions.back().tree; }
  // The leaf of every item by flattening; empty if there was none.
  const std::vector<Index>& flat() const { return model.versions.back().flat; }
};

// Fits all items to the leaves' topics; the relative error is that of this flat model. With a graph of the items it has
// its say as in factorize_joint(), with `weight`; the topics stay those of the leaves.
template <class T>
void fit_flat(const Data<T>& x, TreeResult<T>& result, const Graph<T>* graph = nullptr, double weight = 0);

// Takes the leaves as the model's topics, where no data is at hand to fit the items to them. The relative error is what
// the leaves leave of the data, outliers left whole.
template <class T>
void take_leaves(TreeResult<T>& result);

// Fills the view, the topics, the sizes and the measures from the model.
template <class T>
void describe(TreeResult<T>& result);

// Why the tree has fewer leaves than wanted; empty if it has not. Automatic: why it stopped where it did.
template <class T>
std::string explain_leaves(const Tree<T>& tree, Index wanted, bool automatic = false);

}  // namespace copse
