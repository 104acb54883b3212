// What the data of every kind of page is made of: text, numbers and packed arrays, and the page around them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "copse/base/index.h"
#include "copse/report/page_head.h"

namespace copse {

// What every kind of page begins with.
nlohmann::ordered_json json_of(const PageHead& head);

// JSON in which no byte can end the <script> around it. Bytes that are not UTF-8 become U+FFFD.
std::string script_json(const nlohmann::ordered_json& json);

// The whole file: the page of web/ with this data, as script_json() gives it. Throws InvalidArgument in a build without
// the page.
std::string page_around(std::string_view data);

// At most `limit` bytes, the cut marked and never inside a character.
std::string shortened(const std::string& text, Index limit);
std::string one_line(std::string text);
// Four digits: no bar is longer for more of them.
double rounded(double value);

// RFC 4648.
std::string base64_of_bytes(std::span<const std::uint8_t> bytes);

// Of the little-endian bytes.
template <class T>
std::string base64(const std::vector<T>& values) {
  static_assert(std::is_unsigned_v<T>);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (const T value : values) {
    for (std::size_t b = 0; b < sizeof(T); ++b) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * b)));
  }
  return base64_of_bytes(bytes);
}

}  // namespace copse
