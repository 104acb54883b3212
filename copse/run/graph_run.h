// One run of graph clustering: from files to communities with their central nodes and neighbours.
#pragma once

#include <string>

#include "copse/base/stopwatch.h"
#include "copse/describe/result.h"
#include "copse/graph/cluster_graph.h"
#include "copse/input/graph_input.h"
#include "copse/options/option.h"

namespace copse {

struct GraphRunOptions {
  std::string command = "graph";
  GraphInputOptions input;
  GraphClusterOptions cluster;
  bool auto_k = false;  // as many communities as choose_communities() finds
  double overlap = ViewLimits().overlap;
  Index top = most_representatives;  // central nodes to name per community
  double memory_limit = 0;           // bytes; 0: what the machine has to spare
};

template <>
const OptionRows& rows<GraphRunOptions>();  // in options.cpp

// Reads, makes the graph, finds communities and describes them. An interruption (options.cluster.progress, or a
// Cancellation of with_threads()) gives the best result so far. Throws InputError, InvalidArgument, and Cancelled if
// there is no result yet.
template <class T>
GraphResult run_graph(const GraphRunOptions& options, const RunEvents& events = {});

// The same for a graph in memory. options.input tells how it came about, for the settings.
template <class T>
GraphResult run_graph(const GraphRunOptions& options, GraphInput<T> input, const RunEvents& events = {});

}  // namespace copse
