// Rows of options at run time: what each is called, may be and means, and what it does not go with. The program,
// Python, result.json, help, guide and refusals walk them.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "copse/options/choices.h"
#include "copse/options/settings.h"

namespace copse {

enum class OptionKind { flag, whole, number, seconds, bytes, text, list, file, files, folder, choice };

// What an option does not go with, or goes with only: another option by its name, which is asked for ("links") or has a
// value ("solver=dc"). Where `own` is not empty, it is that value of the option itself that does not.
struct Conflict {
  std::string with;
  std::string reason;
  std::string own = {};
  bool needs = false;  // it goes with that only
};

// How a field of some type is read and written as a setting.
struct FieldType {
  OptionKind kind = OptionKind::text;
  std::function<Setting(const void* field)> get;
  // False: the value is of another type. It may throw InvalidArgument with a better reason.
  std::function<bool(void* field, const Setting& value)> set;
  std::vector<std::string> words = {};  // of a choice; of another kind, words that may stand in place of a value
};
template <class Field>
const FieldType& field_type();

struct Option {
  std::string name;  // in settings, Python and result.json
  std::string meaning;
  OptionKind kind = OptionKind::text;
  std::vector<std::string> words = {};  // as FieldType has them
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string group = {};    // the heading above it in help
  std::string spelled = {};  // on the command line; empty: --name with hyphens
  std::string type = {};     // what stands for its value in help; empty: as the kind has it
  std::string unset = {};    // what help and guide call the default, where no value says it
  std::vector<Conflict> conflicts = {};
  bool required = false;   // there is no default
  bool stored = true;      // result.json has it
  bool is_newer = false;   // results of older versions do not have it: its default was the only way
  bool is_hidden = false;  // front ends do not offer it: it is a part of another option, or no option at all

  // Nothing where the option has no place in these options, or says nothing about them.
  std::optional<Setting> get(const void* options) const;
  // The same, but also where it says nothing.
  std::optional<Setting> value(const void* options) const;
  // Throws WrongOption for a value of another type or out of range, and for a word that is none of its words.
  void set(void* options, const Setting& value) const;
  // The same for a value as it is typed: "3", "90s", "8G", "hals".
  void read(void* options, const std::string& text) const;

  Option& in(std::string heading) { return group = std::move(heading), *this; }
  Option& within(double from, double to) { return least = from, most = to, *this; }
  Option& at_least(double from) { return least = from, *this; }
  Option& as(OptionKind other) { return kind = other, *this; }
  Option& means(std::string what) { return meaning = std::move(what), *this; }
  Option& spell(std::string names) { return spelled = std::move(names), *this; }
  Option& shown_as(std::string word) { return type = std::move(word), *this; }
  Option& otherwise(std::string what) { return unset = std::move(what), *this; }
  Option& not_with(std::string other, std::string reason, std::string own = {}) {
    return conflicts.push_back({std::move(other), std::move(reason), std::move(own)}), *this;
  }
  Option& only_with(std::string other, std::string reason = {}, std::string own = {}) {
    return conflicts.push_back({std::move(other), std::move(reason), std::move(own), true}), *this;
  }
  // It needs the data as a whole: neither in their file nor in the hands of several processes.
  Option& needs_all(const std::string& what, const std::string& own = {}) {
    const std::string reason = what + " needs all entries in memory";
    return not_with("engine=disk", reason, own).not_with("processes", reason, own);
  }
  // It says nothing, and is not stored, but where this holds; it can be set all the same.
  template <class Options>
  Option& where(bool (*holds)(const Options&)) {
    return says = [holds](const void* options) { return holds(*static_cast<const Options*>(options)); }, *this;
  }
  Option& needed() { return required = true, *this; }
  Option& not_stored() { return stored = false, *this; }
  Option& newer() { return is_newer = true, *this; }
  // Sentences call it by the option that it is a part of, or by `what` it is, "several processes".
  Option& hidden(std::string what) { return is_hidden = true, spelled = std::move(what), *this; }

  std::function<void*(void*)> locate;  // the field in the options; null: there is none
  std::function<bool(const void*)> says = {};
  std::shared_ptr<const FieldType> field;
};

using OptionRows = std::vector<Option>;

// The rows of an options struct stand beside it, as a specialization.
template <class Options>
const OptionRows& rows();

// Null if there is none of that name.
const Option* find_row(const OptionRows& rows, const std::string& name);
// Throws InvalidArgument if there is none.
Option& row_of(OptionRows& rows, const std::string& name);
// The rows but for some, or those only.
OptionRows without(OptionRows rows, std::initializer_list<std::string> names);
OptionRows only(const OptionRows& rows, std::initializer_list<std::string> names);

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
template <class Options>
void check_conflicts(const Options& options) {
  const Options defaults;
  check_conflicts(bound(options), bound(defaults));
}

// Throws WrongOption: the row does not go with another of these rows, for that reason.
[[noreturn]] void refuse_conflict(const OptionRows& rows, const Option& row, const Conflict& conflict);

// Why what is asked for does not go with `other`, "engine=disk" for example: the reason of the first row that says so;
// empty: it does.
std::string reason_against(const BoundOptions& options, const BoundOptions& defaults, const std::string& other);
template <class Options>
std::string reason_against(const Options& options, const std::string& other) {
  const Options defaults;
  return reason_against(bound(options), bound(defaults), other);
}

// The sentence with each `name` of an option in quotes like these spelled as a front end has it.
std::string with_spelling(const std::string& sentence, const std::function<std::string(const std::string&)>& spell);

// Makes rows. A field is reached by a pointer to a member, or by a function from the options to a reference, or to a
// pointer that may be null.
template <class Options>
class RowsOf {
 public:
  template <class Access>
  Option& row(std::string name, Access access, std::string meaning) {
    using Field = std::remove_pointer_t<std::remove_reference_t<std::invoke_result_t<Access, Options&>>>;
    return add(std::move(name), located(access), unowned(field_type<Field>()), std::move(meaning));
  }

  // An option that is no single field: get(options) gives a setting, set(options, setting) is false for one of another
  // type.
  template <class Get, class Set>
  Option& computed(std::string name, OptionKind kind, Get get, Set set, std::string meaning,
                   std::vector<std::string> words = {}) {
    return add(
        std::move(name), [](void* options) { return options; },
        std::make_shared<const FieldType>(FieldType{
            kind, [get](const void* options) -> Setting { return get(*static_cast<const Options*>(options)); },
            [set](void* options, const Setting& value) { return set(*static_cast<Options*>(options), value); },
            std::move(words)}),
        std::move(meaning));
  }

  // The rows of options within these. Where a predicate is given, they say nothing but where it holds.
  template <class Access>
  RowsOf& nest(Access access, bool (*holds)(const Options&) = nullptr) {
    using Inner = std::remove_pointer_t<std::remove_reference_t<std::invoke_result_t<Access, Options&>>>;
    return nest(access, copse::rows<Inner>(), holds);
  }
  // Some of their rows.
  template <class Access>
  RowsOf& nest(Access access, const OptionRows& within, bool (*holds)(const Options&) = nullptr) {
    const auto outer = located(access);
    for (const Option& inner : within) {
      Option& option = rows_.emplace_back(inner);
      option.locate = [outer, locate = inner.locate](void* options) {
        void* const found = outer(options);
        return found == nullptr ? nullptr : locate(found);
      };
      if (!inner.says && holds == nullptr) continue;
      option.says = [outer, says = inner.says, holds](const void* options) {
        if (holds != nullptr && !holds(*static_cast<const Options*>(options))) return false;
        const void* const found = outer(const_cast<void*>(options));
        return found != nullptr && (!says || says(found));
      };
    }
    return *this;
  }

  // A row that was made already.
  Option& add(const Option& option) { return rows_.emplace_back(option); }
  Option& operator[](const std::string& name) { return row_of(rows_, name); }
  Option& operator[](std::size_t i) { return rows_[i]; }
  // The one that was made last takes the place of the one with its name.
  RowsOf& replace() {
    Option last = std::move(rows_.back());
    rows_.pop_back();
    if (last.group.empty()) last.group = (*this)[last.name].group;
    (*this)[last.name] = std::move(last);
    return *this;
  }
  RowsOf& leave_out(std::initializer_list<std::string> names) {
    return rows_ = without(std::move(rows_), names), *this;
  }
  // Puts the rows from `first` on under a heading.
  RowsOf& headed(std::size_t first, const std::string& heading) {
    for (std::size_t i = first; i < rows_.size(); ++i) rows_[i].group = heading;
    return *this;
  }
  std::size_t size() const { return rows_.size(); }
  OptionRows done() { return std::move(rows_); }

 private:
  static std::shared_ptr<const FieldType> unowned(const FieldType& type) { return {std::shared_ptr<void>(), &type}; }
  Option& add(std::string name, std::function<void*(void*)> locate, std::shared_ptr<const FieldType> field,
              std::string meaning) {
    Option& option = rows_.emplace_back();
    option.name = std::move(name);
    option.meaning = std::move(meaning);
    option.locate = std::move(locate);
    option.kind = field->kind;
    option.words = field->words;
    option.field = std::move(field);
    return option;
  }

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
const FieldType& field_type<std::vector<std::int64_t>>();  // a range: 2:10, 5:60:5, or 3,5,8
template <>
const FieldType& field_type<std::optional<double>>();
template <>
const FieldType& field_type<std::optional<std::string>>();

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
                              names_of<Field>()};
  return type;
}
template <class Field>
const FieldType& field_type() {
  return choice_type<Field>();
}

}  // namespace copse
