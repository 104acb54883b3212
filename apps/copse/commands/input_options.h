// Options that say where the data is, how it is read and which of its words count.
#pragma once

#include "apps/copse/commands/options.h"
#include "copse/input/input.h"
#include "copse/input/joint_input.h"

namespace copse {

inline constexpr const char* matrix_description =
    ".copse, MatrixMarket (.mtx), .npy, SciPy .npz, .csv, .tsv, .h5ad or 10x data (.h5, folders), also compressed "
    "(.gz, .zst); - is stdin";
inline constexpr const char* documents_description =
    "A folder of text, Markdown or HTML files, .jsonl, .csv or .tsv with named columns, or one document per line; also "
    "compressed (.gz, .zst); - is stdin";

// --text as a flag: the preparation of counts of words. To be added before the rows of PrepareOptions, which then have
// their say.
const OptionRows& text_flag();

// The rows of a run whose first argument is documents or a matrix, whichever it is by its name and the options:
// --format, --text and the options of both. `input` is a part of `options`, and complete after parsing.
void add_documents_or_matrix(Command& command, InputOptions& input, OptionRows rows, void* options);
template <class Options>
void add_documents_or_matrix(Command& command, Options& options, OptionRows rows) {
  if constexpr (requires { options.input.items; }) {
    add_documents_or_matrix(command, options.input.items, std::move(rows), &options);
  } else {
    add_documents_or_matrix(command, options.input, std::move(rows), &options);
  }
}

}  // namespace copse
