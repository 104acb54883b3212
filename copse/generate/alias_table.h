// Draws from a discrete distribution in constant time [Walker 1977; Vose 1991].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/base/random.h"

namespace copse {

class AliasTable {
 public:
  AliasTable() = default;
  // Weights >= 0, not all zero, fewer than 2^32.
  explicit AliasTable(std::span<const double> weights);

  // i with probability weights[i] / sum, to within 2^-32 of each slot's share.
  Index draw(Random& random) const {
    const std::uint64_t slot = random.bits() * static_cast<std::uint64_t>(slots_.size()) >> 32;
    return random.bits() < slots_[slot].threshold ? static_cast<Index>(slot) : slots_[slot].alias;
  }

 private:
  struct Slot {
    std::uint32_t threshold;  // of 2^32: keep the slot's own number
    std::uint32_t alias;      // otherwise
  };
  std::vector<Slot> slots_;
};

}  // namespace copse
