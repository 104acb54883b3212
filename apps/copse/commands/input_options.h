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

// `argument` names the first argument, `description` says what it may be.
void add_matrix_input(CLI::App& command, InputOptions& options, const char* argument = "MATRIX",
                      const char* description = matrix_description);

// Documents or a matrix, whichever the first argument is by its name and the options: DOCS|MATRIX, --format, --text and
// the options of both. `input` is complete after parsing, and then `checked` is called.
void add_documents_or_matrix(CLI::App& command, InputOptions& input, std::function<void()> checked = {});

// --id, --label, --time, --title, --skip-bad.
void add_reading_options(CLI::App& command, DocumentOptions& options);
// --language, --stop-words, --stem, --bigrams, --max-share, --max-features, --numbers, --addresses, --words, --drop-...
void add_word_options(CLI::App& command, DocumentInputOptions& options);

// --links, --vectors, --neighbour-graph, --graph-weight.
void add_joint_options(CLI::App& command, JointInput& options);

}  // namespace copse
