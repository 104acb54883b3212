// What a plan said of a run, beside what the run took.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/advise/plan.h"
#include "copse/engines/opencl/opencl.h"
#include "copse/model/run_report.h"

namespace copse {

// A run before it begins.
struct RunToExplain {
  PlannedFile file;
  Speed speed;
  PlanOptions options;
  double cpu_seconds_before = 0;
};
// Measures this machine for about a second.
RunToExplain plan_to_explain(const InputOptions& input, const MemoryJob& job, Precision precision, int processes);
// The solver begins now.
void start_clock(RunToExplain& run);

// What it took, of the first process.
struct TakenByRun {
  int iterations = 0;                     // of flat clusters
  std::optional<double> bytes_read = {};  // of a file whose entries stayed there
  std::optional<double> bytes_sent = {};  // of several processes
  std::optional<OpenClTimes> device = {};
};
// A sentence for each of memory, CPU time or a device's time, bytes read and bytes sent, as far as there are any. The
// solver's clock stops with the call.
std::vector<std::string> explain(RunToExplain run, const TakenByRun& taken);

inline void add_notes(const std::vector<std::string>& notes, RunReport& report) {
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
}

}  // namespace copse
