// Whole numbers of 32 bits in few bytes: groups of 128, each with as many bits per number as most of them need, and the
// few that need more written out behind it [Lemire & Boytsov 2015]. Four lanes of a vector unpack at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace copse {

inline constexpr std::size_t packing_group = 128;

// Appends the numbers to `bytes`. A group is: bits per number (1 byte), how many are written out (1 byte), 16 bytes per
// bit, the places of those written out (1 byte each) and they themselves (4 bytes each). The last group is filled up
// with zeros.
void pack_numbers(std::span<const std::uint32_t> numbers, std::string& bytes);

// Reads groups one after the other; never past the end of the bytes.
class Unpacker {
 public:
  // Numbers of more than `most_bits` bits are refused.
  explicit Unpacker(std::span<const char> bytes, int most_bits = 32)
      : place_(bytes.data()), end_(bytes.data() + bytes.size()), most_bits_(most_bits) {}

  // The next 128 numbers; false where the bytes end before them or hold no such group.
  bool next(std::uint32_t* numbers);

  // The bytes after the last group that was read.
  std::span<const char> rest() const { return {place_, end_}; }

 private:
  const char* place_;
  const char* end_;
  int most_bits_;
};

}  // namespace copse
