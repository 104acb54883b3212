#include "copse/io/bit_packing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace copse {
namespace {

// Number i of a group is in lane i % 4, and takes the bits from i / 4 * width on of the `width` words of that lane.
using Lanes = std::uint32_t __attribute__((vector_size(16)));
constexpr int steps = 32;

Lanes load(const char* bytes) {
  Lanes lanes;
  std::memcpy(&lanes, bytes, sizeof lanes);
  return lanes;
}

constexpr std::uint32_t mask_of(int width) { return width == 32 ? ~0U : (1U << width) - 1; }

template <int width, int step>
inline void unpack_step(const char* words, std::uint32_t* numbers) {
  Lanes lanes{};
  if constexpr (width > 0) {
    constexpr int first = step * width / 32, shift = step * width % 32;
    lanes = load(words + 16 * first) >> shift;
    if constexpr (shift + width > 32) lanes |= load(words + 16 * (first + 1)) << (32 - shift);
    if constexpr (shift + width != 32) lanes &= mask_of(width);
  }
  std::memcpy(numbers + 4 * step, &lanes, sizeof lanes);
}

template <int width>
void unpack(const char* words, std::uint32_t* numbers) {
  [&]<int... step>(std::integer_sequence<int, step...>) { (unpack_step<width, step>(words, numbers), ...); }
  (std::make_integer_sequence<int, steps>());
}

using Unpack = void (*)(const char*, std::uint32_t*);
constexpr auto unpack_by_width = []<int... width>(std::integer_sequence<int, width...>) {
  return std::array<Unpack, sizeof...(width)>{unpack<width>...};
}
(std::make_integer_sequence<int, 33>());

// The width for which the group takes the fewest bytes.
int best_width(std::span<const std::uint32_t> numbers) {
  std::array<int, 33> having{};
  for (const std::uint32_t number : numbers) ++having[static_cast<std::size_t>(std::bit_width(number))];
  int best = 32, least = 16 * 32, wider = 0;
  for (int width = 31; width >= 0; --width) {
    wider += having[static_cast<std::size_t>(width) + 1];
    const int bytes = 16 * width + 5 * wider;
    if (bytes < least) {
      least = bytes;
      best = width;
    }
  }
  return best;
}

void pack_group(std::span<const std::uint32_t> numbers, std::string& bytes) {
  const int width = best_width(numbers);
  std::array<std::uint32_t, 4 * 33> words{};
  std::string places, written_out;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint32_t number = numbers[i], low = number & mask_of(width);
    const std::size_t bit = i / 4 * static_cast<std::size_t>(width);
    const std::uint64_t shifted = static_cast<std::uint64_t>(low) << bit % 32;
    words[bit / 32 * 4 + i % 4] |= static_cast<std::uint32_t>(shifted);
    words[(bit / 32 + 1) * 4 + i % 4] |= static_cast<std::uint32_t>(shifted >> 32);
    if (low == number) continue;
    places += static_cast<char>(i);
    char plain[4];
    std::memcpy(plain, &number, 4);
    written_out.append(plain, 4);
  }
  bytes += static_cast<char>(width);
  bytes += static_cast<char>(places.size());
  bytes.append(reinterpret_cast<const char*>(words.data()), 16 * static_cast<std::size_t>(width));
  bytes += places;
  bytes += written_out;
}

}  // namespace

void pack_numbers(std::span<const std::uint32_t> numbers, std::string& bytes) {
  for (; !numbers.empty(); numbers = numbers.subspan(std::min(numbers.size(), packing_group)))
    pack_group(numbers.first(std::min(numbers.size(), packing_group)), bytes);
}

bool Unpacker::next(std::uint32_t* numbers) {
  if (end_ - place_ < 2) return false;
  const int width = static_cast<unsigned char>(place_[0]), written_out = static_cast<unsigned char>(place_[1]);
  if (width > most_bits_ || written_out > static_cast<int>(packing_group)) return false;
  if (end_ - place_ < 2 + 16 * width + 5 * written_out) return false;
  unpack_by_width[static_cast<std::size_t>(width)](place_ + 2, numbers);
  const char* const places = place_ + 2 + 16 * width;
  for (int i = 0; i < written_out; ++i) {
    const auto place = static_cast<unsigned char>(places[i]);
    std::uint32_t number = 0;
    std::memcpy(&number, places + written_out + 4 * i, 4);
    if (place >= packing_group || static_cast<int>(std::bit_width(number)) > most_bits_) return false;
    numbers[place] = number;
  }
  place_ = places + 5 * written_out;
  return true;
}

}  // namespace copse
