// Hostile values in JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz_folder.h"

namespace copse::fuzz {

using Json = nlohmann::ordered_json;

// One value, at any depth, becomes another.
inline void damage(Bytes& bytes, Json& json) {
  Json* place = &json;
  while (place->is_structured() && !place->empty() && bytes.byte() % 8 != 0)
    place = &*std::next(place->begin(), static_cast<std::ptrdiff_t>(bytes.below(place->size())));
  const Json values[] = {nullptr, -1, INT64_MAX, 1e300, "", "\xff", true, Json::array(), Json::object(), "double"};
  *place = values[bytes.byte() % std::size(values)];
}

}  // namespace copse::fuzz
