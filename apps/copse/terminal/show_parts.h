// What `copse show` prints of topics and of communities alike.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/copse/terminal/words.h"

namespace copse {

inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// The title and the first `most` entries on lines of `width`; nothing where there are none.
template <class Entries, class Format>
std::string section(const char* title, const Entries& entries, const Format& format, std::size_t most,
                    std::size_t width) {
  if (entries.empty()) return "";
  std::vector<std::string> parts;
  for (const auto& entry : entries) {
    if (parts.size() == most) break;
    parts.push_back(format(entry));
  }
  return fmt::format("{}:\n{}", title, wrapped(joined(parts, ", "), width, 4));
}

}  // namespace copse
