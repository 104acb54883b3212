// The program: its commands, and what happens between main() and one of them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apps/copse/command.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace copse {

// The tree of commands. A command is one file command_NAME.cpp with one function add_NAME(), listed in program.cpp.
class Program {
 public:
  Program();
  ~Program();

  // A command whose `run` is called, if it was chosen, after the whole line was understood. It returns the exit code.
  // The first line of `description` is the summary; `examples` are command lines, each below a line that says what it
  // does.
  Command add(const std::string& name, const std::string& description, const std::string& examples,
              std::function<int()> run, const Command* parent = nullptr);

  // A command that only holds others.
  Command add_group(const std::string& name, const std::string& description, const std::string& examples);

  // Exit code: 0, 1 for a failed run, 2 for a wrong call, 128 + signal when interrupted.
  int run(int argc, const char* const* argv);

  const CLI::App& tree() const { return *app_; }

 private:
  int parse(int argc, const char* const* argv);
  int wrong_call(const CLI::ParseError& error) const;

  std::unique_ptr<CLI::App> app_;
  std::function<int()> chosen_;
};

void add_topics(Program& program);
void add_tree(Program& program);
void add_factor(Program& program);
void add_graph(Program& program);
void add_choose(Program& program);
void add_segment(Program& program);
void add_edit(Program& program);
void add_show(Program& program);
void add_assign(Program& program);
void add_evaluate(Program& program);
void add_generate(Program& program);
void add_convert(Program& program);
void add_devices(Program& program);
void add_report(Program& program);
void add_demo(Program& program);
void add_completion(Program& program);
void add_manual(Program& program);

}  // namespace copse
