// A matrix from a file, or the word counts of documents, ready to be factored: read, named, prepared, with the truth
// where it is known.
#pragma once

#include <string>
#include <vector>

#include "apps/copse/document_input.h"
#include "copse/io/matrix_file.h"
#include "copse/report/run_report.h"

namespace copse {

struct MatrixInputOptions {
  std::string path;
  ReadOptions reading;
  std::string feature_names;  // files, or empty
  std::string item_names;
  std::string truth;
  PrepareOptions prepare;
  std::string hint;                               // for the sentence on a file that is no matrix; may be empty
  std::optional<DocumentInputOptions> documents;  // the path names documents; the names and the truth come from them

  // What the data is called in a sentence.
  const std::string& called() const { return documents ? documents->called(path) : path; }
};
inline constexpr const char* matrix_description =
    "MatrixMarket (.mtx), .npy, SciPy .npz, .csv or .tsv, also compressed (.gz, .zst); - is stdin";
// `argument` names the first argument, `description` says what it may be.
void add_matrix_input(CLI::App& command, MatrixInputOptions& options, const char* argument = "MATRIX",
                      const char* description = matrix_description);

template <class T>
struct MatrixInput {
  Dataset<T> data;
  PrepareReport preparation;
  std::vector<std::string> all_item_names;  // before preparation: what the files say, or numbers from 0
  std::vector<std::string> classes;         // the true class of all items before preparation; empty if unknown
  DocumentFacts documents;                  // of documents
  std::vector<std::string> notes;
};

// Refuses, before reading, what cannot fit in memory or has fewer rows or columns than k. Adds to seconds.read and
// seconds.prepare. Throws InputError.
template <class T>
MatrixInput<T> load(const MatrixInputOptions& options, const MachineOptions& machine, Index k, Terminal& terminal,
                    Seconds& seconds);

Settings settings_of(const MatrixInputOptions& options);

// Bytes of stdin until its end. Throws InputError.
std::string read_standard_input();

}  // namespace copse
