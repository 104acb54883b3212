// Text of any length in HDF5 files. It lies in "global heaps", which HDF5's own library takes at their word: a damaged
// one keeps it busy without end, or has it write past its memory. Here every number is checked before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse {

// An element of an array of such text: its length, where its heap begins, and its number there (little-endian; 4, 8 and
// 4 bytes).
inline constexpr std::size_t heap_reference_bytes = 16;

class Hdf5Heap {
 public:
  // A file whose addresses and lengths have 8 bytes, from its address 0 on. Others keep the bytes.
  Hdf5Heap(std::span<const char> file, std::string name) : file_(file), name_(std::move(name)) {}

  // The text of a reference up to its first zero byte, as it lies in the file. Throws InputError where none is there.
  std::string_view text(std::span<const char, heap_reference_bytes> reference);

 private:
  struct Object {
    std::uint64_t number, begin, size;
  };
  struct Collection {
    std::uint64_t end = 0;
    std::vector<Object> objects;  // by number
  };

  const Collection& collection(std::uint64_t begin);
  [[noreturn]] void damaged() const;

  std::span<const char> file_;
  std::string name_;
  std::map<std::uint64_t, Collection> collections_;  // by where they begin; none overlap
};

}  // namespace copse
