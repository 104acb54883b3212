// Single-cell data in HDF5: .h5ad (AnnData) and 10x .h5. Their cells are the items unless asked otherwise.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "copse/io/input.h"
#include "copse/io/item_blocks.h"
#include "copse/io/read_options.h"

namespace copse {

inline constexpr std::string_view hdf5_magic = "\x89HDF\r\n\x1a\n";

// `options.items` says where they are in the matrix of cells x genes: rows are the cells.
MatrixSummary peek_hdf5(const Input& input, const ReadOptions& options);
template <class T>
ReadResult<T> read_hdf5(const Input& input, const ReadOptions& options);

// Cells in blocks, straight from the file; null where it stores them by gene, which asks for a copy or a transposition.
std::unique_ptr<ItemBlocks> open_hdf5_blocks(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace copse
