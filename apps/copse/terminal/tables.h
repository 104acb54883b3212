// Topics, trees and measures as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "copse/describe/topic_view.h"
#include "copse/model/run_report.h"

namespace copse {

// A table, largest cluster first, fitted to `width` columns (0: no line is broken).
std::string topics_table(const std::vector<Topic>& topics, std::size_t width);

struct OutlineTableOptions {
  std::size_t width = 0;  // columns at most; 0: no line is cut
  std::size_t lines = 0;  // at most, of at least 3; 0: all topics
  std::size_t words = 10;
  bool bars = false;       // of the share of the items; needs UTF-8
  bool coherence = false;  // in brackets after the share
};

// One line per topic that a reader sees, indented by depth: id, size, share of the items, name and best words. Where
// lines are few, the largest topics are opened first, and the last line says what is missing.
std::string outline_table(const TopicView& view, const OutlineTableOptions& options);

// One line with all measures.
std::string measures_line(const ClusteringMeasures& measures);

}  // namespace copse
