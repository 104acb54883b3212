// Names of features and items, and labels, from a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace copse {

// One name per line: features, items or labels. Bytes that are not UTF-8 become U+FFFD, with a note.
std::vector<std::string> read_names(const std::filesystem::path& path, std::vector<std::string>* notes = nullptr);

}  // namespace copse
