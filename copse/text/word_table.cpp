#include "copse/text/word_table.h"

#include <algorithm>
#include <cstring>

#include "copse/base/error.h"

namespace copse {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Value>
std::uint64_t load(const char* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Up to seven bytes as one number; two loads that overlap are quicker than a copy of unknown length.
std::uint64_t load_few(const char* from, std::size_t count) {
  if (count >= 4) return load<std::uint32_t>(from) << 32 | load<std::uint32_t>(from + count - 4);
  if (count == 0) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(from[i])); };
  return byte(0) << 16 | byte(count / 2) << 8 | byte(count - 1);
}

// Most words are short: a call of memcmp would cost more than the comparison.
bool equal(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  const char *p = a.data(), *q = b.data();
  if (size < 8) return load_few(p, size) == load_few(q, size);
  for (std::size_t i = 0; i + 8 < size; i += 8) {
    if (load<std::uint64_t>(p + i) != load<std::uint64_t>(q + i)) return false;
  }
  return load<std::uint64_t>(p + size - 8) == load<std::uint64_t>(q + size - 8);
}

}  // namespace

// Folds eight bytes at a time into one 128-bit product, as wyhash does.
std::uint64_t WordTable::hash(std::string_view word) {
  constexpr std::uint64_t first = 0xa0761d6478bd642fULL, second = 0xe7037ed1a0b428dbULL;
  std::uint64_t state = word.size() ^ first;
  const char* p = word.data();
  std::size_t rest = word.size();
  for (; rest >= 8; rest -= 8, p += 8) state = mix(state ^ load<std::uint64_t>(p), second);
  return mix(state ^ load_few(p, rest), first);
}

WordTable::WordTable() : offsets_(1, 0), slots_(1024) {}

void WordTable::clear() {
  characters_.clear();
  offsets_.assign(1, 0);
  hashes_.clear();
  std::fill(slots_.begin(), slots_.end(), Slot{});
}

std::size_t WordTable::slot(std::string_view text, std::uint64_t hash) const {
  const auto mark = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.number == missing || (slot.mark == mark && equal(word(slot.number), text))) return place;
  }
}

std::uint32_t WordTable::add(std::string_view word, std::uint64_t hash) {
  Slot& found = slots_[slot(word, hash)];
  if (found.number != missing) return found.number;
  const std::uint32_t number = size();
  if (number == missing) throw InputError("the text has more than 4294967294 different words");
  found = {static_cast<std::uint32_t>(hash >> 32), number};
  characters_.insert(characters_.end(), word.begin(), word.end());
  offsets_.push_back(characters_.size());
  hashes_.push_back(hash);
  if (hashes_.size() * 2 > slots_.size()) grow();
  return number;
}

std::uint32_t WordTable::find(std::string_view word) const { return slots_[slot(word, hash(word))].number; }

void WordTable::grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t place = hashes_[number] & mask;
    while (larger[place].number != missing) place = (place + 1) & mask;
    larger[place] = {static_cast<std::uint32_t>(hashes_[number] >> 32), number};
  }
  slots_ = std::move(larger);
}

}  // namespace copse
