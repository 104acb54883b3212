// Names of features and items, and labels: UTF-8 text, one name per line.
#pragma once

#include <string>
#include <vector>

#include "copse/io/input.h"

namespace copse {

std::vector<std::string> parse_names(const Input& input, std::vector<std::string>* notes);

// Puts U+FFFD where a name is not UTF-8, and returns how many names were not. The mark of UTF-8 (U+FEFF) at the
// beginning of a file is not part of the first name.
Index repair_names(std::vector<std::string>& names);

// "FILE: 2 names are not UTF-8 ..."; nothing for none.
void note_repairs(Index count, const std::string& file, std::vector<std::string>& notes);

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace copse
