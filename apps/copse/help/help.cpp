#include "apps/copse/help/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"

namespace copse {
namespace {

OptionText describe(const CLI::Option& option) {
  OptionText text;
  if (option.get_positional()) {
    text.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() != 0) text.value = option.get_type_name();
  for (const std::string& part : copse::split(text.value, '|')) {
    const bool placeholder = std::all_of(part.begin(), part.end(), [](unsigned char c) { return !std::islower(c); });
    if (!placeholder) text.choices.push_back(part);
    text.names_a_file |= part == "FILE";
    text.names_a_folder |= part == "DIR";
  }
  text.required = option.get_required();
  text.description = option.get_description();
  if (!option.get_default_str().empty()) text.description += " [" + option.get_default_str() + "]";
  return text;
}

std::string usage(const CLI::App& command, const CommandText& text) {
  std::string line = text.path;
  if (!text.commands.empty()) return line + " COMMAND [options]";
  for (const OptionText& argument : text.arguments) {
    line += " " + (argument.required ? argument.names[0] : "[" + argument.names[0] + "]");
  }
  for (const OptionGroup& group : text.groups) {
    for (const OptionText& option : group.options) {
      if (option.required) line += " " + option.names[0] + " " + option.value;
    }
  }
  return command.get_options().size() > 1 ? line + " [options]" : line;
}

std::string heading(const std::string& title) {
  return bold_output() ? fmt::format("\033[1m{}\033[0m\n", title) : title + "\n";
}

std::string option_lines(const OptionText& option, std::size_t width, std::size_t column) {
  std::string left = "  " + joined(option.names, ", ");
  if (!option.value.empty() && !option.names[0].empty() && option.names[0][0] == '-') left += " " + option.value;
  std::string right = wrapped(option.description, width, column);
  if (left.size() + 2 > column) return left + "\n" + right;
  right.replace(0, left.size(), left);
  return right;
}

}  // namespace

std::string command_path(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : command_path(*command.get_parent()) + " " + command.get_name();
}

CommandText describe(const CLI::App& command) {
  CommandText text;
  text.path = command_path(command);
  const std::string description = command.get_description();
  text.summary = description.substr(0, description.find('\n'));
  if (text.summary.size() < description.size()) text.details = description.substr(text.summary.size() + 1);
  text.examples = command.get_footer();
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); }))
    text.commands.push_back(describe(*sub));
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional()) {
      text.arguments.push_back(describe(*option));
      continue;
    }
    auto group = std::find_if(text.groups.begin(), text.groups.end(),
                              [&](const OptionGroup& known) { return known.title == option->get_group(); });
    if (group == text.groups.end()) group = text.groups.insert(group, {option->get_group(), {}});
    group->options.push_back(describe(*option));
  }
  // Help and the like come last.
  std::stable_partition(text.groups.begin(), text.groups.end(),
                        [](const OptionGroup& group) { return group.title != "Options"; });
  text.usage = usage(command, text);
  return text;
}

std::string help_text(const CLI::App& command) {
  const CommandText text = describe(command);
  const std::size_t width = std::min<std::size_t>(terminal_width(), 110);
  std::string out = wrapped(text.path + ": " + text.summary, width, 0) + "\n" + heading("Usage") + "  " + text.usage;
  out += "\n";
  if (!text.details.empty()) out += "\n" + wrapped(text.details, width, 0);
  if (!text.examples.empty()) {
    out += "\n" + heading("Examples");
    for (const std::string& line : copse::split(text.examples, '\n')) out += "  " + line + "\n";
  }
  if (!text.commands.empty()) {
    out += "\n" + heading("Commands");
    for (const CommandText& sub : text.commands)
      out += option_lines({.names = {sub.name()}, .value = "", .description = sub.summary, .choices = {}}, width, 16);
  }
  constexpr std::size_t column = 28;
  if (!text.arguments.empty()) {
    out += "\n" + heading("Arguments");
    for (const OptionText& argument : text.arguments) out += option_lines(argument, width, column);
  }
  for (const OptionGroup& group : text.groups) {
    out += "\n" + heading(group.title);
    for (const OptionText& option : group.options) out += option_lines(option, width, column);
  }
  return out;
}

std::string missing_argument(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const OptionText text = describe(*option);
    return fmt::format("{}{} is missing: {}", text.names[0], option->get_positional() ? "" : " " + text.value,
                       option->get_description());
  }
  return "something is missing";
}

}  // namespace copse
