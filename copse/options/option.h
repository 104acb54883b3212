// Rows of options at run time: what each is called, may be and means, and what it does not go with. The program,
// Python, result.json, help, guide and refusals walk them.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "copse/options/choices.h"
#include "copse/options/settings.h"

namespace copse {

enum class OptionKind { flag, whole, number, seconds, bytes, text, list, file, choice };

struct Conflict {
  std::string with;  // another option that is asked for, too
  std::string reason;
};

// How a field of some type is read and written as a setting.
struct FieldType {
  OptionKind kind;
  Setting (*get)(const void* field);
  bool (*set)(void* field, const Setting& value);  // false: the value is of another type
  std::vector<std::string> (*words)();             // of a choice
};
template <class Field>
const FieldType& field_type();

struct Option {
  std::string name;  // in settings, Python and result.json
  std::string meaning;
  OptionKind kind = OptionKind::text;
  std::vector<std::string> words = {};  // of a choice
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string group = {};    // the heading above it in help
  std::string spelled = {};  // on the command line; empty: --name with hyphens
  std::string type = {};     // what stands for its value in help; empty: as the kind has it
  std::string unset = {};    // what help and guide call the default, where no value says it
  std::vector<Conflict> conflicts = {};
  bool stored = true;     // result.json has it
  bool is_newer = false;  // results of older versions do not have it: its default was the only way

  // Nothing where the option has no place in these options.
  std::optional<Setting> get(const void* options) const;
  // Throws WrongOption for a value of another type or out of range, and for a word that is none of its words.
  void set(void* options, const Setting& value) const;

  Option& in(std::string heading) { return group = std::move(heading), *this; }
  Option& within(double from, double to) { return least = from, most = to, *this; }
  Option& at_least(double from) { return least = from, *this; }
  Option& as(OptionKind other) { return kind = other, *this; }
  Option& spell(std::string names) { return spelled = std::move(names), *this; }
  Option& shown_as(std::string word) { return type = std::move(word), *this; }
  Option& otherwise(std::string what) { return unset = std::move(what), *this; }
  Option& not_with(std::string other, std::string reason) {
    return conflicts.push_back({std::move(other), std::move(reason)}), *this;
  }
  Option& not_stored() { return stored = false, *this; }
  Option& newer() { return is_newer = true, *this; }

  std::function<void*(void*)> locate;  // the field in the options; null: there is none
  const FieldType* field = nullptr;
};

using OptionRows = std::vector<Option>;

// The rows of an options struct stand beside it, as a specialization.
template <class Options>
const OptionRows& rows();

const Option* find_row(const OptionRows& rows, const std::string& name);

// Options of any type with their rows.
struct BoundOptions {
  const OptionRows& rows;
  void* options;
};
template <class Options>
BoundOptions bound(Options& options) {
  using Plain = std::remove_const_t<Options>;
  return {rows<Plain>(), const_cast<Plain*>(&options)};
}

// All rows that are stored, as settings.
void add_settings(const BoundOptions& options, Settings& settings);
template <class Options>
void add_settings(const Options& options, Settings& settings) {
  add_settings(bound(options), settings);
}

// All stored rows from settings. Throws InvalidArgument for one that is missing or cannot be used.
void take_settings(const Settings& settings, const BoundOptions& options);
template <class Options>
void take_settings(const Settings& settings, Options& options) {
  take_settings(settings, bound(options));
}

// Those that are given, and no others. Throws WrongOption for a name that no row has.
void take_given(const Settings& given, const BoundOptions& options);

// Throws WrongOption where two options that are asked for do not go together: those whose values differ from those of
// `defaults`, which has the same type.
void check_conflicts(const BoundOptions& options, const BoundOptions& defaults);

// The sentence with each `name` of an option in quotes like these spelled as a front end has it.
std::string with_spelling(const std::string& sentence, const std::function<std::string(const std::string&)>& spell);

// Makes rows. A field is reached by a pointer to a member, or by a function from the options to a reference, or to a
// pointer that may be null.
template <class Options>
class RowsOf {
 public:
  template <class Access>
  Option& row(std::string name, Access access, std::string meaning) {
    using Found = std::invoke_result_t<Access, Options&>;
    Option& option = rows_.emplace_back();
    option.name = std::move(name);
    option.meaning = std::move(meaning);
    option.locate = located(access);
    using Field = std::remove_pointer_t<std::remove_reference_t<Found>>;
    option.field = &field_type<Field>();
    option.kind = option.field->kind;
    if (option.field->words != nullptr) option.words = option.field->words();
    return option;
  }

  // The rows of options within these.
  template <class Access>
  RowsOf& nest(Access access) {
    using Inner = std::remove_pointer_t<std::remove_reference_t<std::invoke_result_t<Access, Options&>>>;
    const auto outer = located(access);
    for (const Option& inner : copse::rows<Inner>()) {
      Option& option = rows_.emplace_back(inner);
      option.locate = [outer, locate = inner.locate](void* options) {
        void* const found = outer(options);
        return found == nullptr ? nullptr : locate(found);
      };
    }
    return *this;
  }

  // A row that was made already.
  Option& add(const Option& option) { return rows_.emplace_back(option); }
  Option& operator[](const std::string& name) { return const_cast<Option&>(*copse::find_row(rows_, name)); }
  // Puts the rows from `first` on under a heading.
  RowsOf& headed(std::size_t first, const std::string& heading) {
    for (std::size_t i = first; i < rows_.size(); ++i) rows_[i].group = heading;
    return *this;
  }
  std::size_t size() const { return rows_.size(); }
  OptionRows done() { return std::move(rows_); }

 private:
  template <class Access>
  static std::function<void*(void*)> located(Access access) {
    return [access](void* options) -> void* {
      auto&& found = std::invoke(access, *static_cast<Options*>(options));
      if constexpr (std::is_pointer_v<std::remove_reference_t<decltype(found)>>) {
        return found;
      } else {
        return &found;
      }
    };
  }

  OptionRows rows_;
};

template <>
const FieldType& field_type<bool>();
template <>
const FieldType& field_type<int>();
template <>
const FieldType& field_type<std::int64_t>();
template <>
const FieldType& field_type<std::uint64_t>();
template <>
const FieldType& field_type<double>();
template <>
const FieldType& field_type<std::string>();
template <>
const FieldType& field_type<std::vector<std::string>>();  // with commas between
template <>
const FieldType& field_type<std::optional<double>>();

// A choice, by the words of choices<Field>().
template <class Field>
requires std::is_enum_v<Field>
const FieldType& choice_type() {
  static const FieldType type{OptionKind::choice,
                              [](const void* field) -> Setting { return name_of(*static_cast<const Field*>(field)); },
                              [](void* field, const Setting& value) {
                                const auto* word = std::get_if<std::string>(&value);
                                if (word == nullptr) return false;
                                for (const auto& [name, choice] : choices<Field>()) {
                                  if (name == *word) *static_cast<Field*>(field) = choice;
                                }
                                return true;
                              },
                              [] { return names_of<Field>(); }};
  return type;
}
template <class Field>
const FieldType& field_type() {
  return choice_type<Field>();
}

}  // namespace copse
