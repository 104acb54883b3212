#include "copse/base/buffer.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace copse {
namespace {

TEST(Buffer, IsAlignedAndKeepsItsValuesAsItGrowsIntoHugePages) {
  Buffer<double> buffer(3, 0.5);
  for (std::size_t size : {std::size_t(4), std::size_t(1) << 18, (std::size_t(1) << 19) - 1, std::size_t(3) << 18}) {
    buffer.resize(size);
    buffer.back() = 7;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % buffer_alignment, 0u);
    EXPECT_EQ(buffer[0] + buffer[1] + buffer[2], 1.5);
  }
  EXPECT_EQ(buffer[3], 7);
}

TEST(Buffer, RefusesSizesThatOverflow) {
  EXPECT_THROW(BufferAllocator<double>().allocate(static_cast<std::size_t>(-1) / 4), std::bad_array_new_length);
}

}  // namespace
}  // namespace copse
