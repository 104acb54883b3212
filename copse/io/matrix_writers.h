// One writer per format, to a file that may be compressed on the way.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "copse/io/compression.h"
#include "copse/matrix/dataset.h"

namespace copse {

// An OutputFile behind a compressor. Throws OutputError.
class Output {
 public:
  Output(const std::filesystem::path& path, Compression compression);
  ~Output();

  void write(std::string_view bytes);
  void write(const void* bytes, std::size_t count) { write({static_cast<const char*>(bytes), count}); }
  // Ends the compressed data and gives the file its name.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

template <class T>
void write_matrix_market(Output& output, const Dataset<T>& dataset);

// Names stand in the first line and column. Where only one of them has names, numbers from 1 stand for the other, so
// that the file cannot be misread.
template <class T>
void write_csv(Output& output, const Dataset<T>& dataset);
template <class T>
void write_tsv(Output& output, const Dataset<T>& dataset);

// Dense, features x items in Fortran order.
template <class T>
void write_npy(Output& output, const Dataset<T>& dataset);

// Sparse as SciPy's save_npz writes csc; dense as one array.
template <class T>
void write_npz(Output& output, const Dataset<T>& dataset);

}  // namespace copse
