#include "apps/copse/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <deque>
#include <filesystem>

#include "apps/copse/terminal/spelling.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"

namespace copse {
namespace {

// Other files are called after a folder, so slashes at its end go, and "." and ".." give way to a name.
std::string folder_name(const std::string& given) {
  namespace fs = std::filesystem;
  const auto without_slashes = [](const fs::path& path) { return path.has_filename() ? path : path.parent_path(); };
  const fs::path path = without_slashes(given);
  if (path.filename() != "." && path.filename() != "..") return path.string();
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  return error ? path.string() : without_slashes(whole).string();
}

// What stands for the value in help; its words are completed, and FILE and DIR by names.
std::string type_of(const Option& row) {
  if (!row.type.empty()) return row.type;
  const auto of_kind = [&] {
    switch (row.kind) {
      case OptionKind::whole:
        return "N";
      case OptionKind::number:
        return "X";
      case OptionKind::seconds:
        return "TIME";
      case OptionKind::bytes:
        return "SIZE";
      case OptionKind::file:
      case OptionKind::files:
        return "FILE";
      case OptionKind::folder:
        return "DIR";
      default:
        return "TEXT";
    }
  };
  const std::string words = joined(row.words, "|");
  if (row.kind == OptionKind::choice) return words;
  if (row.kind == OptionKind::whole && !words.empty()) return "N|" + words;
  return words.empty() ? of_kind() : words + "|" + of_kind();
}

std::string default_of(const Option& row, const void* options) {
  if (row.required) return "";
  if (!row.unset.empty()) return spelled(row.unset);
  const std::optional<Setting> value = row.value(options);
  if (const auto* text = std::get_if<std::string>(&*value)) return *text;
  const auto in_range = [&](auto number) {
    return static_cast<double>(number) >= row.least && static_cast<double>(number) <= row.most;
  };
  if (const auto* whole = std::get_if<std::int64_t>(&*value)) return in_range(*whole) ? fmt::format("{}", *whole) : "";
  const auto* number = std::get_if<double>(&*value);
  const bool has_unit = row.kind == OptionKind::seconds || row.kind == OptionKind::bytes;
  if (number == nullptr || has_unit || !in_range(*number) || std::isinf(*number)) return "";
  return fmt::format("{}", *number);
}

[[noreturn]] void refuse(const WrongOption& error, const std::string& more = {}) {
  throw CLI::ValidationError(spelled("`" + error.option() + "`"), spelled(error.reason()) + more);
}

void take(const Option& row, void* options, const std::string& text) {
  try {
    if (row.kind == OptionKind::folder && text.empty()) throw WrongOption(row.name, "the name of the folder is empty");
    row.read(options, row.kind == OptionKind::folder ? folder_name(text) : text);
  } catch (const WrongOption& error) {
    refuse(error, row.kind == OptionKind::choice ? suggestion(text, row.words) : "");
  }
}

CLI::Option* registered(CLI::App& app, const Option& row, void* options) {
  const std::string names = row.spelled.empty() ? spelling_of(row) : row.spelled;
  const std::string meaning = spelled(row.meaning);
  if (row.kind == OptionKind::flag) {
    return app.add_flag_function(
        names, [row, options](std::int64_t count) { row.set(options, count > 0); }, meaning);
  }
  CLI::Option* option = app.add_option(
      names,
      [row, options](const CLI::results_t& given) {
        for (const std::string& text : given) take(row, options, text);
        if (given.empty()) take(row, options, "");
        return true;
      },
      meaning);
  const std::string type = type_of(row);
  option->type_name(type)->default_str(default_of(row, options));
  if (type.starts_with('[') && row.kind != OptionKind::files) option->expected(0, 1);
  if (row.kind == OptionKind::files && option->get_positional()) option->expected(1, 1000)->allow_extra_args();
  if (row.kind == OptionKind::files && !option->get_positional()) option->expected(1)->take_all();
  return option;
}

}  // namespace

// What the line has to say of a command, beyond CLI11.
struct Command::State {
  OptionRows rows;
  std::vector<void*> options;                    // of each row
  std::vector<std::optional<Setting>> defaults;  // and what was there
  std::vector<std::function<void()>> checks;
};

Command::Command(CLI::App& app) : app_(&app) {
  static std::deque<State> all;  // as long as the program lives
  state_ = &all.emplace_back();
  app.parse_complete_callback([command = *this] {
    try {
      command.check_line();
      for (const auto& check : command.state_->checks) check();
    } catch (const WrongOption& error) {
      refuse(error);
    }
  });
}

Command& Command::add(const OptionRows& rows, void* options) {
  for (const Option& row : rows) {
    if (row.is_hidden) continue;
    remember_spelling(row);
  }
  for (const Option& row : rows) {
    if (row.is_hidden || !row.value(options)) continue;
    state_->rows.push_back(row);
    state_->options.push_back(options);
    state_->defaults.push_back(row.value(options));
    CLI::Option* const option = registered(*app_, row, options);
    if (!row.group.empty()) option->group(row.group == not_in_help ? "" : row.group);
    option->required(row.required);
  }
  return *this;
}

Command& Command::then(std::function<void()> check) {
  state_->checks.push_back(std::move(check));
  return *this;
}

// The same as check_conflicts(), over all options of the line. What an option requires, it does also where it asks for
// what is so anyway.
void Command::check_line() const {
  const OptionRows& rows = state_->rows;
  const auto value = [&](std::size_t row) { return rows[row].value(state_->options[row]); };
  const auto is_asked_for = [&](std::size_t row, const Conflict& conflict) {
    return has(rows[row].name) && (conflict.needs || value(row) != state_->defaults[row]);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Conflict& conflict : rows[i].conflicts) {
      const std::size_t equals = conflict.with.find('=');
      const Option* const found = find_row(rows, conflict.with.substr(0, equals));
      if (found == nullptr || !is_asked_for(i, conflict)) continue;
      if (!conflict.own.empty() && value(i) != Setting(conflict.own)) continue;
      const auto other = static_cast<std::size_t>(found - rows.data());
      const bool holds = equals == std::string::npos ? is_asked_for(other, conflict)
                                                     : value(other) == Setting(conflict.with.substr(equals + 1));
      if (holds != conflict.needs) refuse_conflict(rows, rows[i], conflict);
    }
  }
}

bool Command::has(const std::string& row) const { return app_->count(spelling_of(row_of(state_->rows, row))) > 0; }

Option& make_argument(Option& row, const std::string& name) {
  row.spelled = name;
  row.required = true;
  row.group.clear();
  return row;
}

}  // namespace copse
