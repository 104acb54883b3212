#include <xxhash.h>

#include <cstring>
#include <string>

#include "tests/fuzz/fuzz_reader.h"

// Once as it is, and once with right checksums of the end, the index and the first block, so that what lies behind them
// is tried too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  copse::fuzz::read_any(data, size, "x.copse");
  constexpr std::size_t start = 16, record = 40, end = 72;
  if (size < start + record + end) return 0;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t trailer = size - end;
  const auto number = [&](std::size_t place) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + place, 8);
    return value;
  };
  const auto sign = [&](std::size_t from, std::size_t count, std::size_t to) {
    const std::uint64_t sum = XXH3_64bits(bytes.data() + from, count);
    std::memcpy(bytes.data() + to, &sum, 8);
  };
  const std::uint64_t blocks = number(trailer + 24);
  if (blocks == 0 || blocks > (trailer - start) / record) return 0;
  const std::size_t index = trailer - blocks * record;
  const std::uint64_t block = number(index);
  if (block >= 8 && block <= index - start) sign(start + 8, block - 8, start);
  sign(index, blocks * record, trailer + 48);
  sign(trailer, 56, trailer + 56);
  copse::fuzz::read_any(reinterpret_cast<const std::uint8_t*>(bytes.data()), size, "x.copse");
  return 0;
}
