// Trees from files to files: what `tree` and `edit` do.
#pragma once

#include <optional>
#include <string>

#include "apps/copse/matrix_input.h"
#include "apps/copse/options.h"
#include "copse/tree/tree.h"

namespace copse {

const Choices<Score>& score_choices();
const Choices<Pick>& pick_choices();

struct TreeRunOptions {
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

// One change; ids are those of tree.json.
struct EditOptions {
  std::string folder;
  std::optional<std::string> split, merge, drop, rename;
  Index into = 2;
  std::optional<Index> cut;
  std::string name;  // for rename
  bool undo = false;
  bool json = false;
  bool quiet = false;
  int threads = 0;
};
int run_edit(const EditOptions& options);

}  // namespace copse
