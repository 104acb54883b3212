#include "copse/options/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "copse/base/error.h"
#include "copse/options/range.h"
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

[[noreturn]] void refuse_number(const Option& row, const std::string& given, bool too_small) {
  constexpr double no_limit = std::numeric_limits<double>::max();
  // An upper limit that is but that of the machine matters to those who passed it only.
  if (row.most >= no_limit && too_small)
    throw WrongOption(row.name,
                      fmt::format("{} is out of range: it must be at least {}", given, plain_number(row.least)));
  const std::string most = row.most < no_limit             ? plain_number(row.most)
                           : row.kind == OptionKind::whole ? fmt::format("{}", std::numeric_limits<std::int64_t>::max())
                                                           : fmt::format("{}", std::numeric_limits<double>::max());
  throw WrongOption(row.name,
                    fmt::format("{} is out of range: it must be {} to {}", given, plain_number(row.least), most));
}

template <class Number>
Number parsed(const Option& row, const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // A number too large for its type is out of range, not unreadable.
  if (error == std::errc::invalid_argument || stop != end || value != value)
    throw WrongOption(
        row.name, fmt::format("'{}' is not a {}number", text, std::numeric_limits<Number>::is_integer ? "whole " : ""));
  if (error != std::errc()) refuse_number(row, text, text.starts_with('-'));
  return value;
}

void read_whole(const Option& row, void* options, const std::string& text) {
  void* const place = row.locate(options);
  // No setting holds the upper half of these.
  if (place != nullptr && row.field.get() == &field_type<std::uint64_t>() && !text.starts_with('-')) {
    *static_cast<std::uint64_t*>(place) = parsed<std::uint64_t>(row, text);
  } else {
    row.set(options, parsed<std::int64_t>(row, text));
  }
}

}  // namespace

template <>
const FieldType& field_type<bool>() {
  static const FieldType type{OptionKind::flag, get_as<bool, bool>, set_plain<bool>};
  return type;
}
template <>
const FieldType& field_type<int>() {
  static const FieldType type{OptionKind::whole, get_as<int, std::int64_t>, set_whole<int>};
  return type;
}
template <>
const FieldType& field_type<std::int64_t>() {
  static const FieldType type{OptionKind::whole, get_as<std::int64_t, std::int64_t>, set_whole<std::int64_t>};
  return type;
}
template <>
const FieldType& field_type<std::uint64_t>() {
  static const FieldType type{OptionKind::whole, get_as<std::uint64_t, std::int64_t>, set_whole<std::uint64_t>};
  return type;
}
template <>
const FieldType& field_type<double>() {
  static const FieldType type{OptionKind::number, get_as<double, double>, [](void* field, const Setting& value) {
                                const std::optional<double> number = number_in(value);
                                if (number) *static_cast<double*>(field) = *number;
                                return number.has_value();
                              }};
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
                              }};
  return type;
}
template <>
const FieldType& field_type<std::vector<std::int64_t>>() {
  using Field = std::vector<std::int64_t>;
  static const FieldType type{
      OptionKind::text,
      [](const void* field) -> Setting { return fmt::format("{}", fmt::join(*static_cast<const Field*>(field), ",")); },
      [](void* field, const Setting& value) {
        const auto* text = std::get_if<std::string>(&value);
        if (text != nullptr) *static_cast<Field*>(field) = parse_range(*text);
        return text != nullptr;
      }};
  return type;
}
template <>
const FieldType& field_type<std::optional<std::string>>() {
  using Field = std::optional<std::string>;
  static const FieldType type{
      OptionKind::text, [](const void* field) -> Setting { return static_cast<const Field*>(field)->value_or(""); },
      [](void* field, const Setting& value) {
        const auto* text = std::get_if<std::string>(&value);
        if (text != nullptr) *static_cast<Field*>(field) = *text;
        return text != nullptr;
      }};
  return type;
}
template <>
const FieldType& field_type<std::string>() {
  static const FieldType type{OptionKind::text, get_as<std::string, std::string>, set_plain<std::string>};
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
      }};
  return type;
}

std::optional<Setting> Option::get(const void* options) const {
  return says && !says(options) ? std::nullopt : value(options);
}

std::optional<Setting> Option::value(const void* options) const {
  const void* const place = locate(const_cast<void*>(options));
  if (place == nullptr) return {};
  return field->get(place);
}

void Option::set(void* options, const Setting& value) const {
  void* const place = locate(options);
  if (place == nullptr) throw WrongOption(name, "it has no place here");
  if (kind == OptionKind::choice) {
    const auto* word = std::get_if<std::string>(&value);
    if (word == nullptr || std::ranges::find(words, *word) == words.end())
      throw WrongOption(name, fmt::format("{} is not one of {}", shown(value), joined(words, ", ")));
  }
  if (const std::optional<double> number = number_in(value)) {
    if (!(*number >= least && *number <= most)) refuse_number(*this, shown(value), *number < least);
  }
  try {
    if (!field->set(place, value)) throw WrongOption(name, fmt::format("it cannot be {}", shown(value)));
  } catch (const WrongOption&) {
    throw;
  } catch (const InvalidArgument& error) {
    throw WrongOption(name, error.what());
  }
}

void Option::read(void* options, const std::string& text) const {
  if (std::ranges::find(words, text) != words.end()) return set(options, text);
  switch (kind) {
    case OptionKind::whole:
      return read_whole(*this, options, text);
    case OptionKind::number:
      return set(options, parsed<double>(*this, text));
    case OptionKind::seconds:
    case OptionKind::bytes:
      try {
        return set(options, kind == OptionKind::seconds ? parse_seconds(text) : parse_bytes(text));
      } catch (const WrongOption&) {
        throw;
      } catch (const InvalidArgument& error) {
        throw WrongOption(name, error.what());
      }
    case OptionKind::flag:
      return set(options, text != "false");
    default:
      return set(options, text);
  }
}

const Option* find_row(const OptionRows& rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, &Option::name);
  return found == rows.end() ? nullptr : &*found;
}

Option& row_of(OptionRows& rows, const std::string& name) {
  const Option* const found = find_row(rows, name);
  if (found == nullptr) throw InvalidArgument("there is no option \"" + name + "\"");
  return const_cast<Option&>(*found);
}

OptionRows without(OptionRows rows, std::initializer_list<std::string> names) {
  for (const std::string& name : names) row_of(rows, name);  // no name that is none
  std::erase_if(rows, [&](const Option& row) { return std::ranges::find(names, row.name) != names.end(); });
  return rows;
}

OptionRows only(const OptionRows& rows, std::initializer_list<std::string> names) {
  OptionRows some;
  for (const std::string& name : names) some.push_back(row_of(const_cast<OptionRows&>(rows), name));
  return some;
}

void add_settings(const BoundOptions& options, Settings& settings) {
  for (const Option& row : options.rows) {
    if (!row.stored) continue;
    if (std::optional<Setting> value = row.get(options.options)) settings.emplace_back(row.name, std::move(*value));
  }
}

void take_settings(const Settings& settings, const BoundOptions& options) {
  for (const Option& row : options.rows) {
    if (!row.stored || row.is_hidden || !row.get(options.options)) continue;
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

namespace {

// A value as a condition has it.
std::string word_of(const std::optional<Setting>& value) {
  if (!value) return "";
  const auto* text = std::get_if<std::string>(&*value);
  return text != nullptr ? *text : shown(*value);
}

// What was asked for, and what is so where nothing is.
struct Asked {
  const BoundOptions& options;
  const BoundOptions& defaults;

  bool is_asked_for(const Option& row) const { return row.value(options.options) != row.value(defaults.options); }
  // Whether an option is asked for ("links"), or has a value ("solver=dc"); empty: none of these rows is that option.
  std::optional<bool> holds(const std::string& condition) const {
    const std::size_t equals = condition.find('=');
    const Option* const row = find_row(options.rows, condition.substr(0, equals));
    if (row == nullptr) return {};
    if (equals == std::string::npos) return is_asked_for(*row);
    return word_of(row->value(options.options)) == condition.substr(equals + 1);
  }
  bool is_against(const Option& row, const Conflict& conflict) const {
    if (!is_against(row, conflict.own)) return false;
    const std::optional<bool> other = holds(conflict.with);
    return other && *other != conflict.needs;
  }
  bool is_against(const Option& row, const std::string& own) const {
    return own.empty() ? is_asked_for(row) : word_of(row.value(options.options)) == own;
  }
};

// "`solver` dc", or what else an option that is hidden is called.
std::string called(const OptionRows& rows, const std::string& condition) {
  const std::size_t equals = condition.find('=');
  const Option& row = *find_row(rows, condition.substr(0, equals));
  if (row.is_hidden && find_row(rows, row.spelled) == nullptr) return row.spelled;
  return "`" + (row.is_hidden ? row.spelled : row.name) + "`" +
         (equals == std::string::npos ? "" : " " + condition.substr(equals + 1));
}

}  // namespace

void refuse_conflict(const OptionRows& rows, const Option& row, const Conflict& conflict) {
  throw WrongOption(row.is_hidden ? row.spelled : row.name,
                    fmt::format("{}it {} {}{}", conflict.own.empty() ? "" : conflict.own + ": ",
                                conflict.needs ? "requires" : "does not go with", called(rows, conflict.with),
                                conflict.reason.empty() ? "" : ": " + conflict.reason));
}

void check_conflicts(const BoundOptions& options, const BoundOptions& defaults) {
  const Asked asked{options, defaults};
  for (const Option& row : options.rows) {
    for (const Conflict& conflict : row.conflicts) {
      if (!asked.is_against(row, conflict)) continue;
      refuse_conflict(options.rows, row, conflict);
    }
  }
}

std::string reason_against(const BoundOptions& options, const BoundOptions& defaults, const std::string& other) {
  const Asked asked{options, defaults};
  for (const Option& row : options.rows) {
    for (const Conflict& conflict : row.conflicts) {
      if (conflict.with != other || conflict.needs) continue;
      if (asked.is_against(row, conflict.own)) return conflict.reason;
    }
  }
  return "";
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
