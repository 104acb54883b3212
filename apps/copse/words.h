// Numbers and lists as people read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/base/index.h"

namespace copse {

std::string counted(Index count);                             // 12,345
std::string counted(Index count, std::string_view singular);  // 1 item; 12,345 items
std::string in_bytes(double bytes);                           // 45 MB, 1.2 GB: powers of 1000
std::string in_seconds(double seconds);                       // 0.05 s, 12 s, 3 min 20 s, 2 h 5 min
std::string joined(const std::vector<std::string>& words, std::string_view separator);

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
