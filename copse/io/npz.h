// .npz files: a sparse matrix as SciPy's save_npz writes it (csc, csr, coo), or one dense array.
#pragma once

#include <filesystem>
#include <memory>

#include "copse/io/input.h"
#include "copse/io/item_blocks.h"
#include "copse/io/read_options.h"

namespace copse {

MatrixSummary peek_npz(const Input& input, const ReadOptions& options);

template <class T>
ReadResult<T> read_npz(const Input& input, const ReadOptions& options);

// The items of a sparse matrix that was saved without compression, straight from the file; null for any other archive,
// and where the file has the features one after the other.
std::unique_ptr<ItemBlocks> open_npz_blocks(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace copse
