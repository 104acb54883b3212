// HierSymNMF2 [Du et al. 2017b]: a tree of communities by repeated rank-2 SymNMF, with the machinery of copse/tree.
// Rows and columns of the tree are the nodes of the graph; the topic of a community ranks its most central nodes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "copse/graph/graph.h"
#include "copse/graph/quality.h"
#include "copse/tree/tree.h"

namespace copse {

// A graph as the data of a tree, so that build_tree(), grow() and the edits of trees work on it. Each set of nodes is
// the graph induced on it, with degrees of its own, damped by tau (normalize.h). Its factors are W = [b_1 / |b_1|,
// b_2 / |b_2|] and H' = [|b_1| b_1, |b_2| b_2], so that W H = B B'. The arrays behind the view must outlive it.
template <class T>
std::unique_ptr<TreeData<T>> graph_tree_data(SparseView<T> weights, double tau = 0.1);

struct GraphTreeOptions {
  // `leaves` is required. Score::error is the squared leading eigenvalue of both halves less that of the whole, each
  // normalized by itself: near 1 for two halves without an edge between them, below 0 where the halves are no
  // communities. A tree stops there if min_score is 0; without a bound it has as many leaves as were asked for.
  TreeOptions tree = {
      .score = Score::error, .min_score = -std::numeric_limits<double>::infinity(), .outlier_trials = 0};
  double tau = 0.1;            // damping of degrees; 0: the scaling of the papers
  Index least_component = -1;  // components with fewer nodes are set aside; -1: as cluster_graph() with k = leaves
};

struct GraphTree {
  Tree tree;  // nodes that were set aside are outliers of the root, where it was split
  // Per node: 0, 1, ... in the order of tree.leaf_nodes(), then the components that were set aside, in the order of
  // their lowest nodes. Nodes that a split set aside (outlier_trials) have -1.
  std::vector<Index> labels;
  Index pieces = 0;  // components that were set aside, isolated nodes among them
  Index nodes_set_aside = 0;
  Components components;
  GraphQuality quality;            // of the labels, on the weights as they were given
  std::vector<std::string> notes;  // sentences that the user should see
};

// Throws InvalidArgument for a bad option or a graph without nodes. See build_tree() for cancellation and time limits.
template <class T>
GraphTree cluster_graph_tree(const Graph<T>& graph, const GraphTreeOptions& options);

// The labels of GraphTree for a tree that was edited since.
std::vector<Index> graph_tree_labels(const Tree& tree, const Components& components);

}  // namespace copse
