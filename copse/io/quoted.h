// Text in quotes, which are doubled inside: "she said ""yes""".
#pragma once

#include <string>
#include <string_view>

namespace copse {

// `rest` begins behind the opening quote. Adds what is quoted to `out` and takes it off `rest`, with the closing quote.
// False where no quote closes: then all of `rest` is taken.
inline bool take_quoted(std::string_view& rest, std::string& out) {
  for (;;) {
    const std::size_t quote = rest.find('"');
    out += rest.substr(0, quote);
    if (quote == std::string_view::npos) {
      rest = {};
      return false;
    }
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) return true;
    out += '"';
    rest.remove_prefix(1);
  }
}

}  // namespace copse
