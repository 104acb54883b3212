// Memory that the communities of a graph take.
#pragma once

#include "copse/input/memory.h"

namespace copse {

struct GraphSize {
  Index nodes = 0;
  Index edges = 0;
  double item_bytes = 0;  // of the items that the graph was made of, where there are some
};

// Bytes, an upper bound: the graph, its scaled copy and a start's coarser ones, the factor and what a solver keeps.
double graph_memory(const GraphSize& size, Index k, Precision precision);

// Throws InputError with what is needed and what there is. limit: bytes, or 0: what the machine has to spare.
void check_graph_fits(const GraphSize& size, Index k, Precision precision, double limit);

}  // namespace copse
