// Numbers for words, in the order in which they are first met.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/base/index.h"

namespace copse {

class WordTable {
 public:
  static std::uint64_t hash(std::string_view word);
  static constexpr std::uint32_t missing = 0xFFFFFFFF;

  WordTable();

  std::uint32_t size() const { return static_cast<std::uint32_t>(hashes_.size()); }
  std::string_view word(std::uint32_t number) const {
    return {characters_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]};
  }
  std::uint64_t hash_of(std::uint32_t number) const { return hashes_[number]; }

  // The number of the word, a new one if it was not there.
  std::uint32_t add(std::string_view word, std::uint64_t hash);
  std::uint32_t add(std::string_view word) { return add(word, hash(word)); }
  // Fetches the place of a hash into the cache.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  // Its number, or `missing`.
  std::uint32_t find(std::string_view word) const;
  void clear();

 private:
  std::size_t slot(std::string_view word, std::uint64_t hash) const;
  void grow();

  // A slot holds the upper half of the hash and the number, so that most comparisons end there.
  struct Slot {
    std::uint32_t mark = 0;
    std::uint32_t number = missing;
  };
  Buffer<char> characters_;
  std::vector<std::size_t> offsets_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Slot> slots_;
};

}  // namespace copse
