// A tree from files to files: what `tree` does.
#pragma once

#include <optional>
#include <string>

#include "apps/copse/matrix_input.h"
#include "copse/tree/tree.h"

namespace copse {

const Choices<Score>& score_choices();
const Choices<Pick>& pick_choices();
const Choices<Rank2Start>& split_start_choices();

struct TreeRunOptions {
  std::string command = "tree";
  MatrixInputOptions input;
  TreeOptions tree;
  std::optional<Score> score;  // none: mndcg where features have names, else error
  bool flat = true;
  bool resume = false;
  OutputOptions output;
  MachineOptions machine;
  Index top = 10;
};
int run_tree(const TreeRunOptions& options);

}  // namespace copse
