// Text for a terminal: lines, suggestions, amounts with units.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/options/wording.h"

namespace copse {

// The paragraphs of `text`, broken into lines of at most `width` bytes that start with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

// The candidate nearest to `word` by edits, if it is near enough to be what was meant; otherwise empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
// ", did you mean X?" or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

// "8G", "500 MB", "2GiB" or plain bytes; "90", "90s", "5m", "2h" in seconds. Throw InvalidArgument.
double parse_bytes(const std::string& text);
double parse_seconds(const std::string& text);

}  // namespace copse
