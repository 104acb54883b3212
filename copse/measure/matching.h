// Maximum weight matching of a bipartite graph, given by its edges.
#pragma once

#include <vector>

#include "copse/matrix/sparse.h"

namespace copse {

// Pairs each column with at most one row and each row with at most one column so that the entries chosen add up to the
// most. Returns each column's row, or -1. Entries must not be negative; a pair without an entry gains nothing.
std::vector<Index> best_matching(SparseView<double> gains);

}  // namespace copse
