// New items into the topics of an earlier result: what `assign` does.
#pragma once

#include <string>

#include "apps/copse/options.h"

namespace copse {

struct AssignOptions {
  std::string folder;
  std::string path;                    // documents or a matrix, as the result has it
  std::string text_column, id_column;  // empty: as in the run that made the result
  std::string feature_names, item_names;
  std::string format;  // of documents; empty: by the name
  bool skip_bad = false;
  std::string output;  // a file, or empty: stdout
  bool json = false;
  bool quiet = false;
  int threads = 0;
};
int run_assign(const AssignOptions& options);

}  // namespace copse
