// The tables of a graph's communities. Computes nothing.
#pragma once

#include <string>

#include "copse/describe/graph_result.h"

namespace copse {

// Tab-separated: item, cluster, weight, and in `memberships` every community that it belongs to with its share, such as
// "3:0.61 0:0.30", its own first.
template <class T>
std::string graph_assignments_tsv(const GraphResult<T>& result);

// Tab-separated, one line per community: cluster, nodes, overlapping, inside, leaving, conductance, central (names of
// nodes), neighbours ("2:14.5 0:3"), features and class where they are known.
std::string communities_tsv(const GraphFacts& facts);

}  // namespace copse
