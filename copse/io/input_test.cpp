#include "copse/io/input.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "copse/base/buffer.h"

namespace copse {
namespace {

std::vector<char> pattern(std::size_t size) {
  std::vector<char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(1 + (i ^ i >> 12) % 100);
  return bytes;
}

// Memory of this program that is at hand now, in bytes.
double resident() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

TEST(Input, WhatIsForgottenLeavesTheMemoryAndCanBeReadAgain) {
  constexpr std::size_t size = std::size_t{1} << 25;
  const auto bytes = pattern(size);
  std::string path = (std::filesystem::temp_directory_path() / "copse-input-XXXXXX").string();
  ::close(::mkstemp(path.data()));
  std::ofstream(path, std::ios::binary).write(bytes.data(), size);
  const Input input = Input::open(path);
  std::filesystem::remove(path);
  EXPECT_TRUE(std::ranges::equal(input.bytes(), bytes));
  const double before = resident();
  input.forget(input.bytes().subspan(10, size - 20));
  EXPECT_LT(resident(), before - 0.9 * size);
  EXPECT_TRUE(std::ranges::equal(input.bytes(), bytes));
}

TEST(Input, OnlyAMappedFileForgets) {
  const auto bytes = pattern(std::size_t{1} << 22);  // so large a buffer begins with a page
  const Buffer<char> mine(bytes.begin(), bytes.end());
  const Input input(mine, "mine");
  input.forget(input.bytes());
  EXPECT_TRUE(std::ranges::equal(mine, bytes));
  // What was unpacked from a mapped file does not lie in it.
  Input::open("/proc/self/exe").forget(mine);
  EXPECT_TRUE(std::ranges::equal(mine, bytes));
}

}  // namespace
}  // namespace copse
