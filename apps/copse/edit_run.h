// A change to a tree from folder to folder: what `edit` does.
#pragma once

#include <optional>
#include <string>

#include "copse/base/index.h"

namespace copse {

// One change; ids are those of tree.json.
struct EditOptions {
  std::string folder;
  std::optional<std::string> split, merge, drop, rename;
  Index into = 2;
  Index cut = 0;  // leaves that stay; 0: no cut
  std::string name;  // for rename
  bool undo = false;
  bool json = false;
  bool quiet = false;
  int threads = 0;
};
int run_edit(const EditOptions& options);

}  // namespace copse
