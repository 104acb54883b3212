#include "copse/io/hdf5_heap.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "copse/base/error.h"

namespace copse {
namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 255);
  return text;
}

std::string object(std::uint64_t index, const std::string& content) {
  std::string text = number(index, 2) + number(1, 2) + number(0, 4) + number(content.size(), 8) + content;
  text.resize((text.size() + 7) / 8 * 8);
  return text;
}

std::string free_space(std::size_t bytes) {
  std::string text = number(0, 8) + number(bytes, 8);
  text.resize(bytes);
  return text;
}

std::string collection(const std::string& objects) {
  return std::string("GCOL\1\0\0\0", 8) + number(16 + objects.size(), 8) + objects;
}

constexpr std::size_t start = 64;  // of the first collection: the address 0 stands for no text

class Heap {
 public:
  explicit Heap(const std::string& collections) : file_(std::string(start, 'x') + collections), heap_(file_, "f.h5") {}
  std::string text(std::uint64_t length, std::uint64_t address, std::uint64_t index) {
    const std::string reference = number(length, 4) + number(address, 8) + number(index, 4);
    return std::string(heap_.text(std::span<const char, heap_reference_bytes>(reference.data(), heap_reference_bytes)));
  }

 private:
  std::string file_;
  Hdf5Heap heap_;
};

TEST(Hdf5Heap, FindsTextInAnyOrderOfNumbers) {
  const std::string first = collection(object(3, "three") + object(1, "") + object(700, "exactly8") + free_space(64));
  Heap heap(first + collection(object(1, std::string("one\0two", 7)) + std::string(8, 'z')));
  EXPECT_EQ(heap.text(5, start, 3), "three");
  EXPECT_EQ(heap.text(8, start, 700), "exactly8");
  EXPECT_EQ(heap.text(2, start, 3), "th");
  EXPECT_EQ(heap.text(0, start, 3), "");
  EXPECT_EQ(heap.text(0, 0, 0), "");
  EXPECT_EQ(heap.text(5, 0, 0), "");
  EXPECT_EQ(heap.text(7, start + first.size(), 1), "one");  // text ends at a zero
  EXPECT_EQ(heap.text(5, start, 3), "three");
}

TEST(Hdf5Heap, RefusesWhatIsNotThere) {
  const std::string good = collection(object(1, "a") + object(2, "bc"));
  const std::vector<std::array<std::uint64_t, 3>> references = {
      {2, start, 1},                                          // longer than the object
      {1, start, 3},                                          // no such object
      {1, start, 0},                                          // free space
      {1, start, 1u << 31},                                   // far outside
      {1, start + 8, 1},                                      // no heap
      {1, 1u << 20, 1},                                       // behind the end
      {1, ~0ull, 1},                                          // the address that stands for none
      {1, ~0ull - 7, 1},    {1, start + good.size() - 4, 1},  // too little for a header
  };
  for (const auto& [length, address, index] : references) {
    Heap heap(good);
    EXPECT_THROW(heap.text(length, address, index), InputError) << length << " " << address << " " << index;
    EXPECT_EQ(heap.text(2, start, 2), "bc");
  }
}

TEST(Hdf5Heap, RefusesDamagedHeaps) {
  const auto with_size = [](std::string text, std::size_t place, std::uint64_t size) {
    return text.replace(place, 8, number(size, 8));
  };
  const std::string good = collection(object(1, "a") + free_space(32));
  EXPECT_EQ(Heap(good).text(1, start, 1), "a");
  const std::vector<std::pair<std::string, std::string>> heaps = {
      {"free space of no size, on which HDF5 does not end", with_size(good, 16 + 24 + 8, 0)},
      {"free space smaller than its header", with_size(good, 16 + 24 + 8, 8)},
      {"free space larger than the heap", with_size(good, 16 + 24 + 8, 40)},
      {"free space of the largest size", with_size(good, 16 + 24 + 8, ~0ull)},
      {"an object larger than the heap", with_size(good, 16 + 8, 64)},
      {"an object whose filled size overflows", with_size(good, 16 + 8, ~0ull - 3)},
      {"an object whose end overflows", with_size(good, 16 + 8, ~0ull - 23)},
      {"a heap larger than the file", with_size(good, 8, good.size() + 1)},
      {"a heap smaller than its header", with_size(good, 8, 15)},
      {"a heap of the largest size", with_size(good, 8, ~0ull)},
      {"another version", std::string(good).replace(4, 1, "\2")},
      {"another word", std::string(good).replace(0, 4, "gcol")},
  };
  for (const auto& [what, bytes] : heaps) EXPECT_THROW(Heap(bytes).text(1, start, 1), InputError) << what;
}

TEST(Hdf5Heap, RefusesHeapsInsideOfEachOther) {
  const std::string inner = collection(object(1, "inside"));
  const std::string outer = collection(object(1, inner) + object(2, "outside"));
  const std::uint64_t inside = start + 16 + 16;
  EXPECT_EQ(Heap(outer).text(6, inside, 1), "inside");
  Heap outer_first(outer);
  EXPECT_EQ(outer_first.text(7, start, 2), "outside");
  EXPECT_THROW(outer_first.text(6, inside, 1), InputError);
  Heap inner_first(outer);
  EXPECT_EQ(inner_first.text(6, inside, 1), "inside");
  EXPECT_THROW(inner_first.text(7, start, 2), InputError);
}

}  // namespace
}  // namespace copse
