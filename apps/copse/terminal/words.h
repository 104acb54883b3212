// Text for a terminal: lines and suggestions.
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

}  // namespace copse
