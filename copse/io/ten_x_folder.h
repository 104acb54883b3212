// A folder as 10x Genomics writes it: matrix.mtx, barcodes.tsv, and features.tsv or genes.tsv, each perhaps compressed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace copse {

struct TenXFolder {
  std::filesystem::path matrix, barcodes, features;  // empty where it has none
};

// Whether there is a matrix of that name in the folder; false for anything but a folder.
bool is_ten_x_folder(const std::filesystem::path& path);
// Throws InputError for a folder without a matrix.
TenXFolder find_ten_x(const std::filesystem::path& folder);

// The names of genes: the second column of features.tsv where it has one, which is what people call them.
std::vector<std::string> read_gene_names(const std::filesystem::path& file, std::vector<std::string>* notes);

}  // namespace copse
