#include "copse/io/names.h"

#include <algorithm>

#include "copse/io/compression.h"
#include "copse/io/read_names.h"

namespace copse {
Index repair_names(std::vector<std::string>& names) {
  return std::count_if(names.begin(), names.end(), [](std::string& name) { return repair_utf8(name); });
}

void note_repairs(Index count, const std::string& file, std::vector<std::string>& notes) {
  if (count == 0) return;
  notes.push_back(file + ": " + std::to_string(count) + (count == 1 ? " name is" : " names are") +
                  " not UTF-8; U+FFFD stands for the bytes that are not.");
}

std::vector<std::string> parse_names(const Input& input, std::vector<std::string>* notes) {
  std::vector<std::string> names;
  for_each_piece(input, 0, [&](std::string_view text) {
    if (names.empty() && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
      fail(input.name(),
           static_cast<Index>(names.size()) +
               std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n') + 1,
           "the file is binary, and one name per line was expected.");
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      names.emplace_back(line);
    }
    return true;
  });
  const Index repaired = repair_names(names);
  if (notes != nullptr) note_repairs(repaired, input.name(), *notes);
  return names;
}

std::vector<std::string> read_names(const std::filesystem::path& path, std::vector<std::string>* notes) {
  return parse_names(Input::open(path), notes);
}

}  // namespace copse
