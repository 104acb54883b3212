// A tree of communities on behalf of `copse graph`; see run.h.
#pragma once

#include "apps/copse/commands/options.h"
#include "copse/run/graph_tree_run.h"

namespace copse {

int run_graph_tree_command(GraphTreeRunOptions options, const OutputOptions& output, const MachineOptions& machine);

}  // namespace copse
