#include "copse/base/scratch_buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "copse/base/buffer.h"
#include "copse/base/error.h"

namespace copse {
namespace {

constexpr std::size_t megabyte = std::size_t(1) << 20;

// Of a file's pages, resident now.
std::size_t resident_of_files() {
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0, resident = 0, shared = 0;
  file >> size >> resident >> shared;
  return shared * 4096;
}

// Whether the address lies in a mapped file of the folder.
bool is_in_a_file(const void* address, const std::string& folder) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream(line) >> std::hex >> begin >> dash >> end;
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    if (begin <= place && place < end) return line.find(folder) != std::string::npos;
  }
  return false;
}

class ScratchBuffersTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  bool in_file(const Buffer<float>& buffer) const { return is_in_a_file(buffer.data(), folder_.string()); }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "copse_scratch_buffers";
};

TEST_F(ScratchBuffersTest, TakesWhatIsLargeForAsLongAsItLives) {
  Buffer<float> kept;
  {
    const ScratchBuffers scratch(folder_, megabyte, megabyte);
    Buffer<float> small(megabyte / 4 - 1, 1.0f);
    kept.assign(megabyte, 2.0f);
    EXPECT_FALSE(in_file(small));
    EXPECT_TRUE(in_file(kept));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(kept.data()) % buffer_alignment, 0u);
    EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "the file must have no name";
  }
  EXPECT_TRUE(std::ranges::all_of(kept, [](float value) { return value == 2; })) << "a buffer outlives it";
  const Buffer<float> later(megabyte, 1.0f);
  EXPECT_FALSE(in_file(later));
  const void* const place = kept.data();
  Buffer<float>().swap(kept);
  EXPECT_FALSE(is_in_a_file(place, folder_.string())) << "its place is given back";
}

// Several times as much as may be resident, written and read by several threads while pages are let go of.
TEST_F(ScratchBuffersTest, KeepsEveryValueWhilePagesComeAndGo) {
  const std::size_t before = resident_of_files();
  const ScratchBuffers scratch(folder_, megabyte, 4 * megabyte);
  constexpr std::size_t count = 16 * megabyte;  // of values: 64 MB
  Buffer<float> values;
  values.resize(count);
  constexpr int rounds = 3;
  for (int round = 1; round <= rounds; ++round) {
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < count; i += 3)
          values[i] = (round == 1 ? 0 : values[i]) + static_cast<float>(i % 251);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += values[i] != rounds * static_cast<float>(i % 251);
  EXPECT_EQ(wrong, 0u);
  // Idle for a while, nothing more than allowed stays.
  for (int looks = 0; looks < 500 && resident_of_files() > before + 6 * megabyte; ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_LE(resident_of_files(), before + 6 * megabyte);
}

// How often threads of this process went to sleep.
std::size_t sleeps() {
  std::size_t sum = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("voluntary_ctxt_switches:")) sum += std::stoul(line.substr(line.find(':') + 1));
    }
  }
  return sum;
}

TEST_F(ScratchBuffersTest, NothingWakesUpWhileNobodyComputes) {
  const ScratchBuffers scratch(folder_, megabyte, megabyte);
  std::optional<Buffer<float>> values;
  for (const bool has_buffer : {false, true}) {
    if (has_buffer) values.emplace(megabyte, 1.0f);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::size_t before = sleeps();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_LT(sleeps() - before, 25u) << has_buffer;
  }
}

TEST_F(ScratchBuffersTest, TwoAtOnceTakeWhatEitherWouldTake) {
  std::optional<ScratchBuffers> coarse(std::in_place, folder_, 8 * megabyte, megabyte);
  std::optional<ScratchBuffers> fine(std::in_place, folder_, megabyte, megabyte);
  EXPECT_TRUE(in_file(Buffer<float>(megabyte)));
  fine.reset();
  EXPECT_FALSE(in_file(Buffer<float>(megabyte)));
  EXPECT_TRUE(in_file(Buffer<float>(2 * megabyte)));
}

TEST_F(ScratchBuffersTest, AFolderThatIsNotThereIsNamed) {
  const ScratchBuffers scratch(folder_ / "nowhere", megabyte, megabyte);
  try {
    const Buffer<float> values(megabyte);
    FAIL();
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace copse
