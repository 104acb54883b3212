// Sorting by unsigned keys, the least significant digit first. Topics are sorted often enough to matter.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

// The bits of a nonnegative number in the order of the numbers.
template <class T>
auto order_bits(T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(value);
}

// Stable, ascending in key(entry), an unsigned integer of which only the lowest `bits` bits count.
template <class Entry, class Key>
void radix_sort(std::vector<Entry>& entries, int bits, const Key& key) {
  constexpr int digit = 11;
  constexpr std::size_t buckets = std::size_t{1} << digit;
  std::vector<Entry> sorted(entries.size());
  for (int shift = 0; shift < bits; shift += digit) {
    std::array<std::size_t, buckets> place{};
    for (const Entry& entry : entries) ++place[(key(entry) >> shift) & (buckets - 1)];
    std::size_t total = 0;
    for (std::size_t& count : place) total += std::exchange(count, total);
    for (const Entry& entry : entries) sorted[place[(key(entry) >> shift) & (buckets - 1)]++] = entry;
    entries.swap(sorted);
  }
}

}  // namespace copse
