// A change to a tree from folder to folder: what `edit` does.
#pragma once

#include <optional>
#include <string>

#include "apps/copse/options.h"

namespace copse {

// One change; ids are those of tree.json.
struct EditOptions {
  OutputOptions output;  // the folder is that of the tree; there is a page if it had one
  std::optional<std::string> split, merge, drop, rename;
  Index into = 2;
  Index cut = 0;     // leaves that stay; 0: no cut
  std::string name;  // for rename
  bool undo = false;
  int threads = 0;
};
int run_edit(EditOptions options);

}  // namespace copse
