// A tree from files to files: what `tree` does.
#pragma once

#include <optional>
#include <string>

#include "apps/copse/matrix_input.h"
#include "copse/io/output_folder.h"
#include "copse/tree/tree.h"

namespace copse {

const Choices<Score>& score_choices();
const Choices<Pick>& pick_choices();
const Choices<Rank2Start>& split_start_choices();

// What the next run finds if this one is killed: nothing, or the log of finished splits. `resume` takes up that log.
enum class SplitLogUse { none, start, resume };

struct TreeRunOptions {
  std::string command = "tree";
  MatrixInputOptions input;
  TreeOptions tree;
  std::optional<Score> score;  // none: mndcg where features have names, else error
  bool flat = true;
  SplitLogUse split_log = SplitLogUse::start;
  OutputOptions output;
  MachineOptions machine;
  Index top = 10;
};
int run_tree(const TreeRunOptions& options);
// Into a folder that is open already and may have got files of the result; null: no files.
int run_tree(const TreeRunOptions& options, OutputFolder* folder);

}  // namespace copse
