#include "copse/result/settings.h"

#include <algorithm>

#include "copse/base/error.h"

namespace copse {

const Setting* find_setting(const Settings& settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, [](const auto& entry) { return entry.first; });
  return found == settings.end() ? nullptr : &found->second;
}

std::string text_setting(const Settings& settings, const std::string& name) {
  const Setting* setting = find_setting(settings, name);
  return setting != nullptr && std::holds_alternative<std::string>(*setting) ? std::get<std::string>(*setting) : "";
}

void refuse_setting(const std::string& name) { throw InvalidArgument("there is no usable setting \"" + name + "\""); }

}  // namespace copse
