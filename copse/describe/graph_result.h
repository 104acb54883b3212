// Communities of a graph and everything that is known about them.
#pragma once

#include "copse/base/stopwatch.h"
#include "copse/describe/graph_view.h"
#include "copse/model/run_report.h"

namespace copse {

template <class T>
struct GraphResult {
  CommunityModel<T> model;
  GraphView view;
  RunReport report;  // report.graph is there
  double overlap = GraphViewOptions().overlap;
  Index top = GraphViewOptions().central;
  Stopwatch clock = {};  // since the run began
};

// Fills the view, report.graph and the measures from the model.
template <class T>
void describe(GraphResult<T>& result);

}  // namespace copse
