// Which files can be read block by block.
#pragma once

#include <filesystem>
#include <memory>

#include "copse/io/item_blocks.h"
#include "copse/io/read_options.h"

namespace copse {

// The blocks of a file that can be read so: .copse; .h5ad, 10x .h5 and uncompressed .npz with item after item.
// Null for any other, which must be read whole or converted. Throws InputError.
std::unique_ptr<ItemBlocks> open_blocks(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace copse
