// Text that is UTF-8 throughout.
#pragma once

#include <string>

namespace copse {

// Puts U+FFFD where a text is not UTF-8; true if it was not.
bool repair_utf8(std::string& text);

}  // namespace copse
