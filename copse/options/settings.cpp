#include "copse/options/settings.h"

#include <fmt/format.h>

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

double number_setting(const Settings& settings, const std::string& name, double otherwise) {
  const Setting* setting = find_setting(settings, name);
  if (setting == nullptr) return otherwise;
  if (const auto* number = std::get_if<double>(setting)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(setting)) return static_cast<double>(*whole);
  refuse_setting(name);
}

std::string shown(const Setting& setting) {
  if (const auto* text = std::get_if<std::string>(&setting)) return "'" + *text + "'";
  return std::visit(
      [](const auto& value) {
        if constexpr (requires { fmt::format("{}", value); }) return fmt::format("{}", value);
      },
      setting);
}

void refuse_setting(const std::string& name) { throw InvalidArgument("there is no usable setting \"" + name + "\""); }

}  // namespace copse
