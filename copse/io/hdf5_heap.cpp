#include "copse/io/hdf5_heap.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "copse/io/input.h"

namespace copse {
namespace {

constexpr std::uint64_t collection_header = 16, object_header = 16, alignment = 8;

std::uint64_t number_at(const char* bytes, int count) {
  std::uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

void Hdf5Heap::damaged() const { fail(name_, "its text cannot be read: the file is damaged."); }

// "GCOL", version 1, 3 bytes, size; then objects: number (2 bytes), references (2), 4 bytes, size (8), and the content
// filled up to a multiple of 8. The number 0 is free space, whose size counts its header. All sizes are those of HDF5's
// file format 3.0, III.E.
const Hdf5Heap::Collection& Hdf5Heap::collection(std::uint64_t begin) {
  const auto known = collections_.find(begin);
  if (known != collections_.end()) return known->second;
  if (begin > file_.size() || file_.size() - begin < collection_header) damaged();
  const char* start = file_.data() + begin;
  const std::uint64_t size = number_at(start + 8, 8);
  if (std::string_view(start, 5) != std::string_view("GCOL\1", 5) || size < collection_header ||
      size > file_.size() - begin)
    damaged();
  Collection found{.end = begin + size, .objects = {}};
  // Heaps that overlap would make one file as much work as a far larger one.
  const auto next = collections_.lower_bound(begin);
  if ((next != collections_.end() && next->first < found.end) ||
      (next != collections_.begin() && std::prev(next)->second.end > begin))
    damaged();
  for (std::uint64_t place = begin + collection_header; found.end - place >= object_header;) {
    const char* object = file_.data() + place;
    const std::uint64_t number = number_at(object, 2), bytes = number_at(object + 8, 8), left = found.end - place;
    if (number == 0) {
      if (bytes < object_header || bytes > left) damaged();
      place += bytes;
      continue;
    }
    if (bytes > left - object_header) damaged();
    found.objects.push_back({.number = number, .begin = place + object_header, .size = bytes});
    const std::uint64_t filled = (bytes + alignment - 1) / alignment * alignment;
    place += std::min(left, object_header + filled);
  }
  std::ranges::stable_sort(found.objects, {}, &Object::number);
  return collections_.emplace(begin, std::move(found)).first->second;
}

std::string_view Hdf5Heap::text(std::span<const char, heap_reference_bytes> reference) {
  const std::uint64_t length = number_at(reference.data(), 4), begin = number_at(reference.data() + 4, 8),
                      number = number_at(reference.data() + 12, 4);
  if (length == 0 || begin == 0) return {};
  const std::vector<Object>& objects = collection(begin).objects;
  const auto found = std::ranges::lower_bound(objects, number, {}, &Object::number);
  if (found == objects.end() || found->number != number || length > found->size) damaged();
  const std::string_view text(file_.data() + found->begin, length);
  return text.substr(0, text.find('\0'));
}

}  // namespace copse
