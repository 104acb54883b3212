// Runs of `cluster` on behalf of their command; see run.h.
#pragma once

#include "apps/copse/commands/options.h"
#include "copse/run/cluster_run.h"

namespace copse {

class Program;

int run_cluster_command(ClusterRunOptions options, const OutputOptions& output, const MachineOptions& machine);

void add_cluster(Program& program);

}  // namespace copse
