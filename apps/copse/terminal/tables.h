// Topics, trees and measures as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "copse/result/run_report.h"
#include "copse/result/tree_result.h"

namespace copse {

// A table, largest cluster first, fitted to `width` columns (0: no line is broken).
std::string topics_table(const std::vector<Topic>& topics, std::size_t width);

// One line per node, indented by depth, with size, score and best terms.
template <class T>
std::string tree_table(const TreeResult<T>& result, std::size_t width);

// One line with all measures.
std::string measures_line(const ClusteringMeasures& measures);

}  // namespace copse
