// A run of the library on behalf of a command: threads, Ctrl-C, progress, files, and what is shown.
#pragma once

#include "apps/copse/commands/options.h"
#include "copse/io/output_folder.h"
#include "copse/run/choose_run.h"
#include "copse/run/flat_run.h"
#include "copse/run/graph_run.h"
#include "copse/run/tree_run.h"

namespace copse {

// Each returns the exit code: 0, or that of the signal which interrupted the run after there was a result.
int run_flat_command(FlatRunOptions options, const OutputOptions& output, const MachineOptions& machine);
int run_graph_command(GraphRunOptions options, const OutputOptions& output, const MachineOptions& machine);
// Where finished splits are noted: nowhere, or in a log that a later run can take up; `resume` takes it up.
enum class SplitLogUse { none, start, resume };
int run_tree_command(TreeRunOptions options, const OutputOptions& output, const MachineOptions& machine,
                     SplitLogUse log);
// Into a folder that is open already and may have got files of the result.
int run_tree_command(TreeRunOptions options, const OutputOptions& output, const MachineOptions& machine,
                     OutputFolder* folder);

// Of a worker there is no result but its runs.
int run_choose_command(ChooseRunOptions options, const OutputOptions& output, const MachineOptions& machine);

}  // namespace copse
