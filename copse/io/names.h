// Names of features and items, and labels: UTF-8 text, one name per line.
#pragma once

#include <string>
#include <vector>

#include "copse/io/input.h"
#include "copse/io/utf8.h"

namespace copse {

std::vector<std::string> parse_names(const Input& input, std::vector<std::string>* notes);

// How many of the names had to be repaired.
Index repair_names(std::vector<std::string>& names);

// "FILE: 2 names are not UTF-8 ..."; nothing for none.
void note_repairs(Index count, const std::string& file, std::vector<std::string>& notes);

// What a name of so many bytes takes in a vector of names: short ones stand in the string itself.
inline double bytes_of_name(std::size_t length) {
  return static_cast<double>(sizeof(std::string) + (length > 15 ? (length + 24) / 16 * 16 : 0));
}

// The mark of UTF-8 at the beginning of some files is not part of the first name.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace copse
