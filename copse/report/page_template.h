// The page without data, as built from web/; CMake makes the bytes part of the library.
#pragma once

#include <string_view>

namespace copse {

// Empty in a build without Node.js.
std::string_view page_template();

}  // namespace copse
