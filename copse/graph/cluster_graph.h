// From a graph to clusters: small pieces set aside, degrees damped, a start, SymNMF, the best of several runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "copse/graph/graph.h"
#include "copse/graph/quality.h"
#include "copse/graph/symnmf.h"

namespace copse {

enum class GraphStart {
  multilevel,  // groups by moves that raise modularity (communities.h)
  spectral,    // a partition by eigenvectors (spectral.h)
  random       // uniform entries, as the thesis has it
};

enum class GraphModel {
  symmetric,  // A ~ B B': groups with many edges within, soft memberships
  blocks      // A ~ Z S Z' (block_model.h): also groups with more edges to each other than within
};

enum class RunChoice { modularity, normalized_cut, objective };

enum class LabelSource {
  better,  // the start's partition or the factor, whichever has the higher modularity
  factor   // the largest membership of every node
};

struct GraphClusterOptions {
  Index k = 0;  // required: 1 <= k <= nodes
  // Of `blocks`: the start is tried beside its own, runs are chosen by the objective, labels come from the factor, and
  // solver, alpha, beta and low_rank do not matter; tolerance is a hundredth of that given, of the objective.
  GraphModel model = GraphModel::symmetric;
  GraphStart start = GraphStart::multilevel;
  SymSolver solver = SymSolver::coordinate;
  double tau = 0.1;                          // damping of degrees; 0: the scaling of the papers
  int runs = 1;                              // starts to try
  RunChoice choice = RunChoice::modularity;  // which run is kept; the objective tells little about labels
  LabelSource labels = LabelSource::better;
  int max_iterations = 100;  // of a run
  // Stop when |projected gradient| <= tolerance * that of the random start with the same seed, so that a good start is
  // not asked for more than a bad one.
  double tolerance = 1e-4;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, all runs together
  double alpha = 1;                                             // see SymNmfOptions; 1 fits normalized graphs
  double beta = 0;
  // Above 0: a randomized approximation of that rank is factorized first, which pays for dense graphs (low_rank.h).
  Index low_rank = 0;
  std::uint64_t seed = 0;
  // Components with fewer nodes are set aside, and parts with fewer nodes that hang from the rest by a single edge
  // follow the node that they hang from (set_aside.h); -1: fewer than n / (10 k), and only isolated nodes where that
  // would set aside more than half of all nodes; 0: the whole graph takes part.
  Index least_component = -1;
  std::function<bool(const SymIteration&)> progress = {};  // once per iteration; false asks to stop
};

struct GraphRun {
  double relative_error = 0;
  double modularity = 0;
  double normalized_cut = 0;
  int iterations = 0;
  StopReason stop_reason = StopReason::max_iterations;
};

template <class T>
struct GraphClusters {
  // Per node: 0 ... k - 1 as the columns of the factor, and k, k + 1, ... for the pieces that were set aside, in the
  // order of their lowest nodes.
  std::vector<Index> labels;
  Matrix<T> weights;         // n x k: memberships, of the factor or, as the labels, of the start; rows add to 1 or 0
  Matrix<T> b;               // n x k: the factor; rows of pieces that were set aside are zero
  Matrix<double> blocks;     // GraphModel::blocks: S, k x k; else empty
  std::vector<Index> sizes;  // per label
  Index pieces = 0;          // components that were set aside, isolated nodes among them
  Index nodes_set_aside = 0;
  Index nodes_hanging = 0;  // that took no part and follow others; they have the weights of those
  Components components;
  GraphQuality quality;  // of all labels, on the weights as they were given
  std::vector<SymIteration> history;
  std::vector<GraphRun> runs;
  int best_run = 0;
  bool labels_of_start = false;    // they are the partition that the start found, not the largest memberships
  std::vector<std::string> notes;  // sentences that the user should see
};

// Throws InvalidArgument for a bad k or option. See factorize_symmetric() for cancellation.
template <class T>
GraphClusters<T> cluster_graph(const Graph<T>& graph, const GraphClusterOptions& options);

}  // namespace copse
