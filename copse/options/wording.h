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
// The parts of a list with separators between them; empty parts are left out.
std::vector<std::string> split(std::string_view text, char separator);

// A number as a bound is said: 0.5, 1000000.
std::string plain_number(double number);

// "8G", "500 MB", "2GiB" or plain bytes; "90", "90s", "5m", "2h" in seconds. Throw InvalidArgument.
double parse_bytes(const std::string& text);
double parse_seconds(const std::string& text);

}  // namespace copse
