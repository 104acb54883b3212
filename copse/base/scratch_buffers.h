// Large arrays that need not stand in memory: their pages lie in a file without a name, and the system fetches them as
// they are touched.
#pragma once

#include <cstddef>
#include <filesystem>

namespace copse {

// As long as one lives, new buffers (base/buffer.h) of `least_bytes` and more are made in files of `folder`, in the
// whole process. Buffers may outlive it. Their resident pages are let go of whenever they come to more than about
// `resident_bytes`, so arrays that are read from one end to the other cost little, and arrays that are read at random
// much. A buffer for which the folder has no room throws OutputError.
class ScratchBuffers {
 public:
  ScratchBuffers(const std::filesystem::path& folder, std::size_t least_bytes, std::size_t resident_bytes);
  ~ScratchBuffers();
  ScratchBuffers(const ScratchBuffers&) = delete;
  ScratchBuffers& operator=(const ScratchBuffers&) = delete;

 private:
  const std::filesystem::path folder_;
  const std::size_t least_bytes_;
  const std::size_t most_resident_;
};

// A buffer of a scratch file; null: no such buffers are asked for, or none of this size.
void* allocate_scratch(std::size_t bytes);
// False if it is none.
bool free_scratch(void* pointer) noexcept;

}  // namespace copse
