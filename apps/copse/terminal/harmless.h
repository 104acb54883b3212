// Text of others on a terminal: names, titles and words come from files that anybody may have made.
#pragma once

#include <string>
#include <string_view>

namespace copse {

// The text as a terminal may show it: no byte of it moves the cursor, changes colours or titles, begins a line or turns
// the direction of writing. White space becomes a space, other control characters "?", and what is not UTF-8 U+FFFD.
std::string harmless(std::string_view text);

// The same for a text of several lines, which stay; so do tabs.
std::string harmless_lines(std::string_view text);

// JSON with its control characters above ASCII escaped too, which the format lets stand.
std::string harmless_json(std::string_view json);

}  // namespace copse
