// One run of flat NMF from files to files: what `factor` and `topics` do.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "apps/copse/matrix_input.h"
#include "copse/io/output_folder.h"

namespace copse {

// A weight given as a number, or the rule of a seed that computes it from the data.
enum class SparseRule { thesis, snmf };
using SparseWeight = std::variant<double, SparseRule>;

struct FactorRunOptions {
  std::string command;
  MatrixInputOptions input;
  NmfOptions nmf;
  bool dc = false;                       // start from the leaves of a tree
  bool exact_items = false;              // at the end, H becomes the exact solution for W, as `assign` would find it
  std::optional<SparseWeight> sparse;    // beta
  std::optional<SparseWeight> sparse_w;  // alpha
  std::string start_file;                // model.safetensors to start from, or empty
  OutputOptions output;
  MachineOptions machine;
  Index top = 10;
};

// Returns the exit code: 0, or that of the signal which interrupted the run after there was a result.
int run_factor(const FactorRunOptions& options);

// The folder of the result, found fit for writing before the work starts; null if there is to be none. The file that is
// read may not lie in it. Throws OutputError.
std::unique_ptr<OutputFolder> open_folder(const OutputOptions& options, const std::string& input);

}  // namespace copse
