// copse completion: scripts that complete commands, options and their values in a shell.
#include <fmt/format.h>

#include <memory>

#include "apps/copse/commands/options.h"
#include "apps/copse/help/help.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"

namespace copse {
namespace {

constexpr const char* description =
    "a script for tab completion in your shell\n"
    "Prints the script; `./run install` puts it where bash, zsh and fish look for it.";

constexpr const char* completion_examples =
    "For this shell, or for all by adding the line to ~/.bashrc:\n"
    "  source <(copse completion bash)\n"
    "For zsh and fish:\n"
    "  copse completion zsh > ~/.zfunc/_copse\n"
    "  copse completion fish > ~/.config/fish/completions/copse.fish";

// Commands with all that is below them, the program first.
void collect(const CommandText& command, std::vector<CommandText>& all) {
  all.push_back(command);
  for (const CommandText& sub : command.commands) collect(sub, all);
}

std::vector<std::string> names_of(const CommandText& command) {
  std::vector<std::string> names;
  for (const CommandText& sub : command.commands) names.push_back(sub.name());
  return names;
}

// A case label that matches any option name of the command.
std::string pattern(const std::string& path, const std::vector<std::string>& names) {
  std::vector<std::string> labels;
  labels.reserve(names.size());
  for (const std::string& name : names) labels.push_back(fmt::format("'{} {}'", path, name));
  return joined(labels, "|");
}

// Words after an option, words of a command: two tables, looked up by the path of the command.
std::string bash_script(const std::vector<CommandText>& all) {
  std::string values;
  std::string words;
  std::string paths;
  for (const CommandText& command : all) {
    std::vector<std::string> options = names_of(command);
    for (const OptionGroup& group : command.groups) {
      for (const OptionText& option : group.options) {
        options.insert(options.end(), option.names.begin(), option.names.end());
        if (option.value.empty()) continue;
        const char* files = option.names_a_folder ? "folders" : option.names_a_file ? "files" : "none";
        values += fmt::format("    {}) choices='{}' kind={} ;;\n", pattern(command.path, option.names),
                              joined(option.choices, " "), files);
      }
    }
    std::string argument_words;
    bool files = false, folders = false;
    for (const OptionText& argument : command.arguments) {
      files |= argument.names_a_file;
      folders |= argument.names_a_folder;
      for (const std::string& choice : argument.choices) argument_words += " " + choice;
    }
    words += fmt::format("    '{}') choices='{}{}' kind={} ;;\n", command.path, joined(options, " "), argument_words,
                         files     ? "files"
                         : folders ? "folders"
                                   : "none");
    if (command.path != "copse") paths += fmt::format("      '{}') path=\"$path $word\" ;;\n", command.path);
  }
  return fmt::format(R"(# Completion of copse for bash. Made by `copse completion bash`.
_copse() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} path=copse choices='' kind=none word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in
{}    esac
  done
  case "$path $previous" in
{}    *) case "$path" in
{}    esac ;;
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
  case $kind in
    files) [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current")) ;;
    folders) COMPREPLY+=($(compgen -d -- "$current")) ;;
  esac
}}
complete -o filenames -F _copse copse
)",
                     paths, values, words);
}

// In single quotes for zsh's _arguments and for fish.
std::string quoted_text(const std::string& text, bool brackets) {
  std::string out;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'') {
      out += "'\\''";
    } else if (brackets && (c == '[' || c == ']' || c == ':')) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_function_name(std::string path) {
  for (char& c : path) c = c == ' ' ? '_' : c;
  return "_" + path;
}

std::string zsh_action(const OptionText& option) {
  if (option.choices.empty()) return option.names_a_folder ? "_files -/" : option.names_a_file ? "_files" : " ";
  const std::string words = joined(option.choices, " ");
  return option.names_a_file ? "{_files; compadd " + words + "}" : "(" + words + ")";
}

std::string zsh_script(const std::vector<CommandText>& all) {
  std::string script = "#compdef copse\n# Completion of copse for zsh. Made by `copse completion zsh`.\n";
  for (const CommandText& command : all) {
    script += zsh_function_name(command.path) + "() {\n  _arguments -S";
    for (const OptionGroup& group : command.groups) {
      for (const OptionText& option : group.options) {
        for (const std::string& name : option.names) {
          const std::string value = option.value.empty() ? "" : ":" + option.value + ":" + zsh_action(option);
          script += fmt::format(" \\\n    '{}[{}]{}'", name, quoted_text(option.description, true), value);
        }
      }
    }
    for (const OptionText& argument : command.arguments) {
      script += fmt::format(" \\\n    ':{}:{}'", argument.names[0], zsh_action(argument));
    }
    if (!command.commands.empty()) {
      script += fmt::format(" \\\n    ':command:({})' '*::rest:->rest'\n", joined(names_of(command), " "));
      script += "  [[ $state == rest ]] || return\n  case $words[1] in\n";
      for (const std::string& name : names_of(command)) {
        script += fmt::format("    {}) {} ;;\n", name, zsh_function_name(command.path + " " + name));
      }
      script += "  esac";
    }
    script += "\n}\n";
  }
  return script + "_copse \"$@\"\n";
}

std::string fish_script(const std::vector<CommandText>& all) {
  std::string script = "# Completion of copse for fish. Made by `copse completion fish`.\ncomplete -c copse -f\n";
  for (const CommandText& command : all) {
    const std::vector<std::string> below = names_of(command);
    const std::string inside = command.path == "copse" ? "" : "__fish_seen_subcommand_from " + command.name();
    const std::string outside = below.empty() ? "" : "not __fish_seen_subcommand_from " + joined(below, " ");
    const std::string_view both = inside.empty() || outside.empty() ? "" : "; and ";
    const std::string condition = fmt::format("{}{}{}", inside, both, outside);
    for (const CommandText& sub : command.commands) {
      script += fmt::format("complete -c copse -n '{}' -a {} -d '{}'\n", condition, sub.name(),
                            quoted_text(sub.summary, false));
    }
    for (const OptionText& argument : command.arguments) {
      if (argument.names_a_file || argument.names_a_folder)
        script += fmt::format("complete -c copse -n '{}' -F\n", condition);
      if (!argument.choices.empty()) {
        script += fmt::format("complete -c copse -n '{}' -a '{}'\n", condition, joined(argument.choices, " "));
      }
    }
    for (const OptionGroup& group : command.groups) {
      for (const OptionText& option : group.options) {
        script += fmt::format("complete -c copse -n '{}'", condition);
        for (const std::string& name : option.names) {
          script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (!option.value.empty()) script += option.names_a_file || option.names_a_folder ? " -rF" : " -x";
        if (!option.choices.empty()) script += " -a '" + joined(option.choices, " ") + "'";
        script += fmt::format(" -d '{}'\n", quoted_text(option.description, false));
      }
    }
  }
  return script;
}

int print_script(const std::string& shell, const Program& program) {
  std::vector<CommandText> all;
  collect(describe(program.tree()), all);
  print_own(shell == "bash" ? bash_script(all) : shell == "zsh" ? zsh_script(all) : fish_script(all));
  return 0;
}

}  // namespace

void add_completion(Program& program) {
  auto shell = std::make_shared<std::string>();
  RowsOf<std::string> rows;
  make_argument(rows.computed(
                    "shell", OptionKind::choice, [](const std::string& word) { return word; },
                    [](std::string& word, const Setting& value) {
                      word = std::get<std::string>(value);
                      return true;
                    },
                    "bash, zsh or fish", {"bash", "zsh", "fish"}),
                "SHELL");
  program
      .add("completion", description, completion_examples, [shell, &program] { return print_script(*shell, program); })
      .add(*shell, rows.done());
}

}  // namespace copse
