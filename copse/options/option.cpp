#include "copse/options/option.h"

#include <fmt/format.h>

#include <algorithm>

#include "copse/base/error.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

// What a value of this type holds as one of a setting, and the reverse: whole numbers serve where numbers are meant.
template <class Field, class Stored>
Setting get_as(const void* field) {
  return static_cast<Stored>(*static_cast<const Field*>(field));
}

template <class Field>
bool set_whole(void* field, const Setting& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || !std::in_range<Field>(*number)) return false;
  *static_cast<Field*>(field) = static_cast<Field>(*number);
  return true;
}

template <class Field>
bool set_plain(void* field, const Setting& value) {
  const auto* same = std::get_if<Field>(&value);
  if (same == nullptr) return false;
  *static_cast<Field*>(field) = *same;
  return true;
}

std::optional<double> number_in(const Setting& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return {};
}

}  // namespace

template <>
const FieldType& field_type<bool>() {
  static const FieldType type{OptionKind::flag, get_as<bool, bool>, set_plain<bool>, nullptr};
  return type;
}
template <>
const FieldType& field_type<int>() {
  static const FieldType type{OptionKind::whole, get_as<int, std::int64_t>, set_whole<int>, nullptr};
  return type;
}
template <>
const FieldType& field_type<std::int64_t>() {
  static const FieldType type{OptionKind::whole, get_as<std::int64_t, std::int64_t>, set_whole<std::int64_t>, nullptr};
  return type;
}
template <>
const FieldType& field_type<std::uint64_t>() {
  static const FieldType type{OptionKind::whole, get_as<std::uint64_t, std::int64_t>, set_whole<std::uint64_t>,
                              nullptr};
  return type;
}
template <>
const FieldType& field_type<double>() {
  static const FieldType type{OptionKind::number, get_as<double, double>,
                              [](void* field, const Setting& value) {
                                const std::optional<double> number = number_in(value);
                                if (number) *static_cast<double*>(field) = *number;
                                return number.has_value();
                              },
                              nullptr};
  return type;
}
template <>
const FieldType& field_type<std::optional<double>>() {
  using Field = std::optional<double>;
  static const FieldType type{OptionKind::number,
                              [](const void* field) -> Setting {
                                const Field& number = *static_cast<const Field*>(field);
                                return number ? Setting(*number) : Setting(std::string());
                              },
                              [](void* field, const Setting& value) {
                                const std::optional<double> number = number_in(value);
                                const bool none = value == Setting(std::string());
                                if (number || none) *static_cast<Field*>(field) = number;
                                return number || none;
                              },
                              nullptr};
  return type;
}
template <>
const FieldType& field_type<std::string>() {
  static const FieldType type{OptionKind::text, get_as<std::string, std::string>, set_plain<std::string>, nullptr};
  return type;
}
template <>
const FieldType& field_type<std::vector<std::string>>() {
  using Field = std::vector<std::string>;
  static const FieldType type{
      OptionKind::list, [](const void* field) -> Setting { return joined(*static_cast<const Field*>(field), ","); },
      [](void* field, const Setting& value) {
        const auto* text = std::get_if<std::string>(&value);
        if (text != nullptr) *static_cast<Field*>(field) = split(*text, ',');
        return text != nullptr;
      },
      nullptr};
  return type;
}

std::optional<Setting> Option::get(const void* options) const {
  const void* const place = locate(const_cast<void*>(options));
  if (place == nullptr) return {};
  return field->get(place);
}

void Option::set(void* options, const Setting& value) const {
  void* const place = locate(options);
  if (place == nullptr) throw WrongOption(name, "it has no place here");
  if (!words.empty()) {
    const auto* word = std::get_if<std::string>(&value);
    if (word == nullptr || std::ranges::find(words, *word) == words.end())
      throw WrongOption(name, fmt::format("it must be one of {}, not {}", joined(words, ", "), shown(value)));
  }
  if (const std::optional<double> number = number_in(value)) {
    const bool in_range = *number >= least && *number <= most;
    if (!in_range && most == std::numeric_limits<double>::infinity())
      throw WrongOption(name, fmt::format("{} is out of range: it must be at least {:g}", shown(value), least));
    if (!in_range)
      throw WrongOption(name, fmt::format("{} is out of range: it must be {:g} to {:g}", shown(value), least, most));
  }
  if (!field->set(place, value)) throw WrongOption(name, fmt::format("it cannot be {}", shown(value)));
}

const Option* find_row(const OptionRows& rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, &Option::name);
  return found == rows.end() ? nullptr : &*found;
}

void add_settings(const BoundOptions& options, Settings& settings) {
  for (const Option& row : options.rows) {
    if (!row.stored) continue;
    if (std::optional<Setting> value = row.get(options.options)) settings.emplace_back(row.name, std::move(*value));
  }
}

void take_settings(const Settings& settings, const BoundOptions& options) {
  for (const Option& row : options.rows) {
    if (!row.stored || !row.get(options.options)) continue;
    const Setting* setting = find_setting(settings, row.name);
    if (setting == nullptr && row.is_newer) continue;
    if (setting == nullptr) refuse_setting(row.name);
    row.set(options.options, *setting);
  }
}

void take_given(const Settings& given, const BoundOptions& options) {
  for (const auto& [name, value] : given) {
    const Option* row = find_row(options.rows, name);
    if (row == nullptr) throw WrongOption(name, "there is no such option");
    row->set(options.options, value);
  }
}

void check_conflicts(const BoundOptions& options, const BoundOptions& defaults) {
  const auto is_asked_for = [&](const Option& row) { return row.get(options.options) != row.get(defaults.options); };
  for (const Option& row : options.rows) {
    if (row.conflicts.empty() || !is_asked_for(row)) continue;
    for (const Conflict& conflict : row.conflicts) {
      const Option* other = find_row(options.rows, conflict.with);
      if (other != nullptr && is_asked_for(*other))
        throw WrongOption(row.name, fmt::format("it does not go with `{}`: {}", conflict.with, conflict.reason));
    }
  }
}

std::string with_spelling(const std::string& sentence, const std::function<std::string(const std::string&)>& spell) {
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = sentence.find('`', at);
    const std::size_t close = open == std::string::npos ? open : sentence.find('`', open + 1);
    if (close == std::string::npos) return out + sentence.substr(at);
    const std::string name = sentence.substr(open + 1, close - open - 1);
    const std::string spelled = spell(name);
    out += sentence.substr(at, open - at) + (spelled.empty() ? "`" + name + "`" : spelled);
    at = close + 1;
  }
}

}  // namespace copse
