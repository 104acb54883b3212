// A run and its result as text: result.json, assignments.tsv, topics.tsv. Computes nothing.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "copse/model/run_report.h"

namespace copse {

// One object, indented, with a line end.
std::string to_json(const RunReport& report);
std::string to_json(const ClusteringMeasures& measures);
std::string to_json(const Settings& settings);

// A line of assignments.tsv, tab-separated, and its header. A name's tabs and line ends become spaces.
struct Assignment {
  const std::string& item;
  const std::string& cluster;
  double weight = 0;
  std::optional<double> stability = {};
};
// With a column for stability or without.
std::string assignments_header(bool stability);
void append_line(const Assignment& assignment, bool stability, std::string& text);
// The last column, what the topic is called, is there only where topics have names.
std::string topics_tsv(std::span<const Topic> topics);

}  // namespace copse
