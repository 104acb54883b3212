#include "copse/io/open_blocks.h"

#include <unistd.h>

#include <string_view>

#include "copse/io/copse_file.h"
#include "copse/io/hdf5_file.h"
#include "copse/io/npz.h"

namespace copse {

std::unique_ptr<ItemBlocks> open_blocks(const std::filesystem::path& path, const ReadOptions& options) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return nullptr;
  char start[8] = {};
  {
    const Descriptor file = open_to_read(path);
    if (::pread(file.number(), start, sizeof start, 0) != sizeof start) return nullptr;
  }
  const std::string_view found(start, sizeof start);
  if (found == hdf5_magic) return open_hdf5_blocks(path, options);
  if (found.starts_with("PK")) return open_npz_blocks(path, options);
  if (found == copse_magic && (options.items == Items::rows) == options.transposed)
    return std::make_unique<CopseFile>(path);
  return nullptr;
}

}  // namespace copse
