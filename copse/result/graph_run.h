// One run of graph clustering: from files to communities with their central nodes and neighbours.
#pragma once

#include <string>

#include "copse/base/stopwatch.h"
#include "copse/graph/cluster_graph.h"
#include "copse/result/graph_input.h"
#include "copse/result/graph_view.h"

namespace copse {

struct GraphRunOptions {
  std::string command = "graph";
  GraphInputOptions input;
  GraphClusterOptions cluster;
  bool auto_k = false;  // as many communities as choose_communities() finds
  double overlap = GraphViewOptions().overlap;
  Index top = GraphViewOptions().central;  // central nodes to name per community
  double memory_limit = 0;                 // bytes; 0: what the machine has to spare
};

template <class T>
struct GraphResult {
  CommunityModel<T> model;
  GraphView view;
  RunReport report;  // report.graph is there
  double overlap = GraphViewOptions().overlap;
  Index top = GraphViewOptions().central;
  Stopwatch clock = {};  // since the run began
};

// Reads, makes the graph, finds communities and describes them. An interruption (options.cluster.progress, or a
// Cancellation of with_threads()) gives the best result so far. Throws InputError, InvalidArgument, and Cancelled if
// there is no result yet.
template <class T>
GraphResult<T> run_graph(const GraphRunOptions& options, const RunEvents& events = {});

// The same for a graph in memory. options.input tells how it came about, for the settings.
template <class T>
GraphResult<T> run_graph(const GraphRunOptions& options, GraphInput<T> input, const RunEvents& events = {});

// Fills the view, report.graph and the measures from the model.
template <class T>
void describe(GraphResult<T>& result);

}  // namespace copse
