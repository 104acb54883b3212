#include "copse/io/names.h"

#include <algorithm>

#include "copse/io/compression.h"
#include "copse/io/matrix_file.h"

namespace copse {
namespace {

// The length of the UTF-8 sequence at the front of the text, or 0 if there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : (first & 0xF0) == 0xE0         ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

bool repair_utf8(std::string& text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return false;
  std::string repaired;
  bool damaged = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = sequence_length(rest);
    if (length == 0) {
      repaired += "\xEF\xBF\xBD";
      damaged = true;
    } else {
      repaired += rest.substr(0, length);
    }
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  if (damaged) text = std::move(repaired);
  return damaged;
}

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
