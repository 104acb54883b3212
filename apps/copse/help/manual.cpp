// copse manual: the manual page, from the same tree as the help texts.
#include <fmt/format.h>

#include "apps/copse/help/help.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/version.h"

namespace copse {
namespace {

// Text for troff: a backslash, a minus and a leading dot or quote would mean something else there.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((out.empty() || out.back() == '\n') && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string paragraphs(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) out += ".PP\n" + escaped(text.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string option_entry(const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + escaped(name) + "\\fR");
  const bool argument = !option.names[0].starts_with("-");
  const std::string value = option.value.empty() || argument ? "" : " \\fI" + escaped(option.value) + "\\fR";
  return fmt::format(".TP\n{}{}\n{}\n", joined(names, ", "), value, escaped(option.description));
}

std::string example_lines(const std::string& examples) {
  std::string out = ".PP\n.nf\n";
  out += escaped(examples) + "\n.fi\n";
  return out;
}

void append_command(const CommandText& command, std::string& page) {
  page += fmt::format(".SS \"{}\"\n{}.\n.PP\n.B {}\n", escaped(command.path), escaped(command.summary),
                      escaped(command.usage));
  page += paragraphs(command.details);
  for (const OptionText& argument : command.arguments) page += option_entry(argument);
  for (const OptionGroup& group : command.groups) {
    if (group.title != "Options") page += fmt::format(".PP\n{}:\n", escaped(group.title));
    for (const OptionText& option : group.options) page += option_entry(option);
  }
  if (!command.examples.empty()) page += example_lines(command.examples);
  for (const CommandText& sub : command.commands) append_command(sub, page);
}

std::string manual_page(const CommandText& program) {
  std::string page = fmt::format(".TH COPSE 1 \"\" \"copse {}\" \"User Commands\"\n.ad l\n", version());
  page += fmt::format(".SH NAME\ncopse \\- {}\n", escaped(program.summary));
  page += fmt::format(".SH SYNOPSIS\n.B {}\n", escaped(program.usage));
  page += ".SH DESCRIPTION\n" + paragraphs(program.details);
  page += paragraphs(
      "Data goes to files or stdout, words go to stderr. The same seed gives the same bits with any number of threads. "
      "Outputs appear under their names only when they are complete.");
  for (const OptionGroup& group : program.groups) {
    for (const OptionText& option : group.options) page += option_entry(option);
  }
  page += ".SH COMMANDS\n";
  for (const CommandText& command : program.commands) append_command(command, page);
  page += ".SH \"EXIT STATUS\"\n";
  page += option_entry({.names = {"0"}, .value = "", .description = "All went well.", .choices = {}});
  page +=
      option_entry({.names = {"1"}, .value = "", .description = "The run failed; a sentence says why.", .choices = {}});
  page += option_entry({.names = {"2"}, .value = "", .description = "The call was wrong.", .choices = {}});
  page += option_entry({.names = {"130, 143"},
                        .value = "",
                        .description = "Stopped by Ctrl-C or SIGTERM. What had been found is kept; stop_reason in "
                                       "result.json is \"interrupted\".",
                        .choices = {}});
  return page + ".SH EXAMPLES\n" + example_lines(program.examples);
}

}  // namespace

void add_manual(Program& program) {
  program.add("manual", "the manual page, for man -l -\nPrints the page in the form that man reads.",
              "Read it:\n  copse manual | man -l -", [&program] {
                print_own(manual_page(describe(program.tree())));
                return 0;
              });
}

}  // namespace copse
