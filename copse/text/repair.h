// Text that is not quite UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace copse {

// Bytes that are not UTF-8 are taken for Windows-1252 (Latin-1 with quotes and dashes), where one is not defined for
// U+FFFD; NUL bytes become spaces. True if something had to be done.
bool repair_text(std::string& text);

bool is_utf8(std::string_view text);

}  // namespace copse
