// What was asked for, as names and values: the same names on the command line, in Python and in result.json.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace copse {

// In the order in which they are shown.
using Setting = std::variant<bool, std::int64_t, double, std::string>;
using Settings = std::vector<std::pair<std::string, Setting>>;

// Null if there is none of that name.
const Setting* find_setting(const Settings& settings, const std::string& name);
// The text of a setting; empty if there is none.
std::string text_setting(const Settings& settings, const std::string& name);

// A number; `otherwise` if there is none of that name. Throws InvalidArgument for a setting that is no number.
double number_setting(const Settings& settings, const std::string& name, double otherwise);

// As a person reads it: a word in quotes.
std::string shown(const Setting& setting);

// Throws InvalidArgument: the setting is missing or of another type.
[[noreturn]] void refuse_setting(const std::string& name);

}  // namespace copse
