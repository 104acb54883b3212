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

#include "copse/matrix/dataset.h"

namespace copse {

// Where the items are in the file; automatic: in columns, and the cells of single-cell data.
enum class Items { automatic, columns, rows };
enum class Presence { detect, present, absent };  // of the names in a .csv or .tsv file

struct ReadOptions {
  Items items = Items::automatic;
  bool transposed = false;                // take the features as items
  std::size_t memory_limit = 0;           // bytes that the matrix may take; 0: the memory of the machine
  Presence header = Presence::detect;     // does the first line of a .csv or .tsv file hold names?
  Presence row_names = Presence::detect;  // does its first column?
  std::string layer = {};                 // of an .h5ad file, in place of its X; or empty
  std::string label = {};                 // its column of obs that holds the labels of the cells; or empty
};

// What a look at a file tells, for an estimate of the memory it will take.
struct MatrixSummary {
  Index features = 0;
  Index items = 0;
  Index nonzeros = -1;  // stored entries; -1: unknown
  bool sparse = false;
  // Beside the matrix, while it is read: so many bytes, and so often the values of all entries.
  double reading_bytes = 0;
  double reading_copies = 0;
  double name_bytes = 0;  // that the names in the file take in memory
};

template <class T>
struct ReadResult {
  Dataset<T> dataset;
  std::vector<std::string> notes;  // sentences that the user should see, such as "12 duplicate entries were added up"
  std::vector<std::string> labels = {};  // the class of each item, where the file says it; or empty
};

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

// Throws InputError for the first entry that is negative, infinite or not a number; `name` says whose entry it is.
template <class T>
void check_nonnegative(const Dataset<T>& dataset, const std::string& name);

// One name per line: features, items or labels. Bytes that are not UTF-8 become U+FFFD, with a note.
std::vector<std::string> read_names(const std::filesystem::path& path, std::vector<std::string>* notes = nullptr);

}  // namespace copse
