// How large the content of a compressed file may be: a small file must not fill the memory.
#pragma once

#include <string>

namespace copse {

// Content of more than 16 MB may be at most so many times larger than its file; real data stays far below.
inline constexpr double largest_expansion = 200;
inline constexpr double harmless_content = 16e6;

// Throws InputError where there is more; a limit of 0 is none.
void check_expansion(double content, double file, double limit, const std::string& name);

}  // namespace copse
