// Commands and options as text. Help, manual page and completions are all made from the same tree, so none can drift.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace copse {

struct OptionText {
  std::vector<std::string> names;    // "-k", "--clusters"; the name itself for an argument
  std::string value;                 // "N", "float|double"; empty for a flag
  std::string description;           // with the default
  std::vector<std::string> choices;  // the fixed words that the value can be
  bool names_a_file = false;         // the value may be a file
  bool names_a_folder = false;
  bool required = false;
};

struct OptionGroup {
  std::string title;
  std::vector<OptionText> options;
};

struct CommandText {
  std::string path;     // "copse generate corpus"
  std::string summary;  // one line
  std::string details;  // paragraphs
  std::string usage;
  std::string examples;  // lines; command lines are indented
  std::vector<OptionText> arguments;
  std::vector<OptionGroup> groups;
  std::vector<CommandText> commands;

  std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

CommandText describe(const CLI::App& command);
std::string command_path(const CLI::App& command);
std::string help_text(const CLI::App& command);

// "MATRIX is missing" for the first required argument or option that was not given.
std::string missing_argument(const CLI::App& command);

}  // namespace copse
