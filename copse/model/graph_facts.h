// What a run found in a graph: the part of result.json that only graphs have.
#pragma once

#include "copse/base/index.h"

namespace copse {

// As copse/graph/quality.h defines them.
struct GraphFacts {
  Index nodes = 0;
  Index edges = 0;
  Index components = 0;
  Index isolated = 0;
  Index pieces = 0;           // components that took no part; each is a cluster of its own
  Index nodes_set_aside = 0;  // in these pieces
  double modularity = 0;
  double normalized_cut = 0;
  double conductance = 0;  // the mean over the communities
  double coverage = 0;
  bool labels_of_start = false;  // the partition that the start found, not the largest memberships
};

}  // namespace copse
