// What the result.json of an earlier run says about how it was made.
#pragma once

#include <string>

#include "copse/base/precision.h"
#include "copse/io/input.h"
#include "copse/model/run_report.h"
#include "copse/tree/tree.h"

namespace copse {

// What settings say. Each throws InvalidArgument for one that is missing or unknown.
Precision precision_in(const Settings& settings);
TreeOptions tree_options_in(const Settings& settings, std::uint64_t seed);
struct StoredResult {
  std::string folder;
  RunReport report;  // what the page tells about the run: settings, sizes, seconds, measures and notes
  Input model;  // or segmentations.npy; of the same result as the report, also if another takes its place meanwhile

  // Throws InputError unless the folder holds a complete result. A commit that was killed is finished first.
  explicit StoredResult(const std::string& folder);

  // A tree of communities is a tree: see graph_tree_run.h.
  bool is_tree() const { return report.kind == "tree" || is_graph_tree(); }
  bool is_graph_tree() const { return report.kind == "community-tree"; }
  bool is_graph() const { return report.kind == "communities"; }
  bool is_segmentation() const { return report.kind == "segments"; }
  Precision precision() const { return precision_in(report.settings); }
};

}  // namespace copse
