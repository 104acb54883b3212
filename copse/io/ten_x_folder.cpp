#include "copse/io/ten_x_folder.h"

#include <initializer_list>
#include <system_error>

#include "copse/io/input.h"
#include "copse/io/read_names.h"

namespace copse {
namespace {

std::filesystem::path find(const std::filesystem::path& folder, std::initializer_list<const char*> names) {
  std::error_code ignored;
  for (const char* name : names) {
    for (const char* packed : {"", ".gz", ".zst"}) {
      const std::filesystem::path path = folder / (std::string(name) + packed);
      if (std::filesystem::is_regular_file(path, ignored)) return path;
    }
  }
  return {};
}

}  // namespace

bool is_ten_x_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) && !find(path, {"matrix.mtx"}).empty();
}

TenXFolder find_ten_x(const std::filesystem::path& folder) {
  TenXFolder found{.matrix = find(folder, {"matrix.mtx"}),
                   .barcodes = find(folder, {"barcodes.tsv"}),
                   .features = find(folder, {"features.tsv", "genes.tsv"})};
  if (found.matrix.empty())
    fail(folder.string(), "this folder is no matrix: a folder of 10x has matrix.mtx or matrix.mtx.gz.");
  return found;
}

std::vector<std::string> read_gene_names(const std::filesystem::path& file, std::vector<std::string>* notes) {
  std::vector<std::string> names = read_names(file, notes);
  for (std::string& name : names) {
    const std::size_t tab = name.find('\t');
    if (tab == std::string::npos) continue;
    const std::string second = name.substr(tab + 1, name.find('\t', tab + 1) - tab - 1);
    name = second.empty() ? name.substr(0, tab) : second;
  }
  return names;
}

}  // namespace copse
