// A command of the program. Its options are rows (copse/options/option.h): one walker makes them options of the line.
#pragma once

#include <functional>
#include <string>

#include "copse/options/option.h"

// CLI11 is slow to compile: only a few files include it.
namespace CLI {
class App;
}  // namespace CLI

namespace copse {

class Command {
 public:
  explicit Command(CLI::App& app);

  // Each row becomes an option that sets its place in `options`, which must live as long as the program; the help shows
  // what is there now as the default. Those that are hidden, or have no place there, become none.
  Command& add(const OptionRows& rows, void* options);
  template <class Options>
  Command& add(Options& options, const OptionRows& rows) {
    return add(rows, static_cast<void*>(&options));
  }
  template <class Options>
  Command& add(Options& options) {
    return add(options, rows<Options>());
  }

  // Called when the whole line is understood. Throws WrongOption for what cannot be.
  Command& then(std::function<void()> check);

  // Whether the line has the option of this row.
  bool has(const std::string& row) const;

  CLI::App& app() const { return *app_; }

 private:
  void check_line() const;

  CLI::App* app_;
  struct State;
  State* state_;
};

// The group of options that help, manual page and completion leave out.
inline constexpr const char* not_in_help = "none";

// A row as an argument of the command: without a name before it.
Option& make_argument(Option& row, const std::string& name);

}  // namespace copse
