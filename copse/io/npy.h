// NumPy's .npy files: one dense array of numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "copse/io/input.h"
#include "copse/io/read_options.h"

namespace copse {

struct NpyType {
  char kind = 'f';       // as NumPy has it: f, i, u, b (bool), S and U (text)
  std::size_t size = 8;  // bytes per element
  bool swapped = false;  // the bytes are in the other order than this machine's

  bool is_whole_number() const { return kind == 'i' || kind == 'u' || kind == 'b'; }
};

// An array that lies in memory as the file has it.
struct NpyArray {
  NpyType type;
  bool fortran = false;  // the first axis runs fastest
  std::vector<Index> shape;
  std::span<const char> data;

  Index count() const;  // elements
};

// Takes a .npy file apart. `whole` = false: the bytes may end after the header.
NpyArray parse_npy(std::span<const char> bytes, const std::string& name, bool whole = true);

// The header that precedes an array in a file, where `type` is such as "<f8".
std::string npy_header(const std::string& type, bool fortran, std::span<const Index> shape);

// Elements begin ... end - 1, converted. Out is float, double or std::int64_t (of whole numbers only).
template <class Out>
void convert(const NpyArray& array, Index begin, Index end, Out* out);

// The array as a matrix; one with other than two axes is none.
MatrixSummary summary_of(const NpyArray& array, const std::string& name, const ReadOptions& options);

// The next bytes of a file, exactly as many as are asked for; they may be gone at the next call.
using NextBytes = std::function<std::span<const char>(std::size_t count)>;

// Reads the elements from front to back through `next`; array.data is not looked at.
template <class T>
Matrix<T> matrix_of(const NpyArray& array, const std::string& name, const ReadOptions& options, const NextBytes& next);

// A whole file that lies in memory, or comes from a decompressor.
template <class T>
Matrix<T> read_npy(const Input& input, const ReadOptions& options);

}  // namespace copse
