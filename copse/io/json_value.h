// Values of JSON that a stranger may have written.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

// As json.get<Value>(), but a whole number must be one and fit: nlohmann's conversion of 1e300 to an integer is
// undefined. Throws an exception of nlohmann's where the type is another.
template <class Value, class Json>
Value checked_value(const Json& json) {
  if constexpr (std::integral<Value> && !std::same_as<Value, bool>) {
    if (json.is_number_unsigned()) {
      const auto number = json.template get<std::uint64_t>();
      if (std::in_range<Value>(number)) return static_cast<Value>(number);
    } else if (json.is_number_integer()) {
      const auto number = json.template get<std::int64_t>();
      if (std::in_range<Value>(number)) return static_cast<Value>(number);
    }
    throw Json::type_error::create(302, "this is not a whole number in range", &json);
  } else {
    return json.template get<Value>();
  }
}

template <class Value, class Json>
std::vector<Value> checked_list(const Json& json) {
  std::vector<Value> list;
  for (const Json& entry : json) list.push_back(checked_value<Value>(entry));
  return list;
}

}  // namespace copse
