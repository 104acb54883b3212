// Matrices in files: .copse, MatrixMarket, .npy, SciPy .npz, .csv, .tsv, .h5ad and 10x .h5, each also compressed with
// gzip or zstd; and folders as 10x writes them.
// Whatever a file holds, the result is features x items, and every entry is a finite number that is not negative.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "copse/io/check_entries.h"
#include "copse/io/read_names.h"
#include "copse/io/read_options.h"
#include "copse/matrix/dataset.h"

namespace copse {

class Input;

// A matrix in a file or a stream, which is opened once: "-" is the standard input. All functions throw InputError with
// a sentence that names the file and the place in it. The format is found from the content; only .csv and .tsv, which
// have no mark of their own, go by name.
class MatrixFile {
 public:
  explicit MatrixFile(const std::filesystem::path& path, const ReadOptions& options = {});
  MatrixSummary summary() const;
  // Where the items are, as the options say or the format does: never automatic.
  Items items() const { return options_.items; }
  template <class T>
  ReadResult<T> read() const;

 private:
  ReadOptions options_;
  std::shared_ptr<const Input> input_;
  std::filesystem::path folder_;  // of the names beside the matrix, as 10x writes it; or empty
};

// The same in one step.
MatrixSummary peek_matrix(const std::filesystem::path& path, const ReadOptions& options = {});
template <class T>
ReadResult<T> read_matrix(const std::filesystem::path& path, const ReadOptions& options = {});

// The same for a file that is already in memory; its name is used for sentences and to tell .csv from .tsv.
MatrixSummary peek_matrix(std::span<const char> bytes, const std::string& name, const ReadOptions& options = {});
template <class T>
ReadResult<T> read_matrix(std::span<const char> bytes, const std::string& name, const ReadOptions& options = {});

// A .npy file whose rows are the vectors of items, of any sign, perhaps compressed; memory_limit as above. Throws
// InputError, also for an entry that is infinite or not a number.
template <class T>
Matrix<T> read_vectors(const std::filesystem::path& path, std::size_t memory_limit = 0);

// Writes features x items in the format that the name asks for: .copse, .mtx, .npy, .npz, .csv or .tsv, each but the
// first also with .gz or .zst at the end. Reading it again gives the same bits. The file appears under its name only
// when it is complete. Throws OutputError. MatrixMarket and .npy have no place for names; .npz holds them as
// features.txt and items.txt. Only .copse holds labels, one per item or none.
template <class T>
void write_matrix(const std::filesystem::path& path, const Dataset<T>& dataset,
                  std::span<const std::string> labels = {});

}  // namespace copse
