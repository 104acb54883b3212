// From a file to a .copse file without the whole matrix in memory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "copse/io/read_options.h"

namespace copse {

struct StreamedMatrix {
  Index features = 0, items = 0, entries = 0;
  std::vector<std::string> notes = {};
};

// Files that hold their items one after the other (open_blocks) are copied block by block; the entries of a
// MatrixMarket file are sorted, in parts of what a quarter of `options.memory_limit` holds (0: of 2 GB). Empty for any
// other file, which must be read whole; the standard input is one. Throws InputError and OutputError.
template <class T>
std::optional<StreamedMatrix> stream_to_copse(const std::filesystem::path& from, const std::filesystem::path& to,
                                              const ReadOptions& options);

}  // namespace copse
