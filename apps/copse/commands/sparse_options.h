// The weights of sparse NMF, as numbers or by the rules of papers.
#pragma once

#include <string>

#include "copse/run/flat_run.h"

namespace CLI {
class App;
}  // namespace CLI

namespace copse {

// --sparse and --sparse-w.
void add_sparse_options(CLI::App& command, FlatRunOptions& options, const std::string& group);

}  // namespace copse
