// Sentences on what is wrong with a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace copse {

// Throws InputError("NAME: SENTENCE") and InputError("NAME, line LINE: SENTENCE").
[[noreturn]] void fail(const std::string& name, const std::string& sentence);
[[noreturn]] void fail(const std::string& name, std::ptrdiff_t line, const std::string& sentence);

// Text from a file, made fit for a sentence: in quotes, shortened, UTF-8, without control characters.
std::string excerpt(std::string_view text);

}  // namespace copse
