#include "apps/copse/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <thread>

#include "apps/copse/commands/compare.h"
#include "apps/copse/commands/plan.h"
#include "apps/copse/commands/run_cluster.h"
#include "apps/copse/help/help.h"
#include "apps/copse/processes.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/spelling.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
#include "copse/base/error.h"
#include "copse/base/version.h"

namespace copse {
namespace {

constexpr const char* description =
    "clustering by nonnegative matrix factorization\n"
    "Finds the topics of documents, and the clusters of a matrix of features x items (genes x patients), together with "
    "what each of them is about; and the communities of a graph.";

constexpr const char* examples =
    "A topic tree of a folder of documents, with a page to look at:\n"
    "  copse tree documents/ -o out\n"
    "Twenty topics of a matrix of word counts, with their best words:\n"
    "  copse factor X.mtx.gz --text -k 20\n"
    "Twelve communities of a graph, from a list of its edges:\n"
    "  copse graph edges.tsv -k 12 -o out\n"
    "See it at work on text that is already on this machine:\n"
    "  copse demo";

// "copse generate corpus": the command that was reached on the line.
const CLI::App* reached(const CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : app.get_subcommands(nullptr)) words.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
  }
  return words;
}

// The options of the command that save memory.
std::string what_needs_less(const CLI::App& command) {
  std::vector<std::string> ways;
  if (command.get_option_no_throw("--clusters") != nullptr) ways.push_back("a smaller -k");
  if (command.get_option_no_throw("--leaves") != nullptr) ways.push_back("fewer --leaves");
  if (command.get_option_no_throw("--precision") != nullptr) ways.push_back("--precision float");
  return ways.empty() ? "" : "; " + joined(ways, " or ") + (ways.size() == 1 ? " needs less" : " need less");
}

int failed(const std::string& sentence, int code) {
  print_sentence(fmt::format("copse: {}", spelled(sentence)));
  return code;
}

}  // namespace

Program::Program() : app_(std::make_unique<CLI::App>(description, "copse")) {
  app_->footer(examples);
  app_->set_help_flag("-h,--help", "Show this help");
  app_->set_version_flag("--version", std::string("copse ") + version(), "Show the version");
  app_->require_subcommand(1);
  for (const auto add : {add_topics,  add_tree,    add_factor, add_graph,  add_segment,    add_choose,   add_cluster,
                         add_compare, add_edit,    add_show,   add_assign, add_evaluate,   add_generate, add_convert,
                         add_plan,    add_devices, add_report, add_demo,   add_completion, add_manual}) {
    add(*this);
  }
}

Program::~Program() = default;

Command Program::add(const std::string& name, const std::string& description, const std::string& examples,
                     std::function<int()> run, const Command* parent) {
  CLI::App* command = (parent == nullptr ? app_.get() : &parent->app())->add_subcommand(name, description);
  command->footer(examples);
  command->set_help_flag("-h,--help", "Show this help");
  if (run) command->final_callback([this, run = std::move(run)] { chosen_ = run; });
  return Command(*command);
}

Command Program::add_group(const std::string& name, const std::string& description, const std::string& examples) {
  Command group = add(name, description, examples, {});
  group.app().require_subcommand(1);
  return group;
}

int Program::wrong_call(const CLI::ParseError& error) const {
  const CLI::App* command = reached(app_.get());
  const std::string path = command_path(*command);
  std::string sentence = error.what();
  // A word that nobody knows explains more than what is missing because of it.
  const std::vector<std::string> unknown = command->remaining();
  if (!unknown.empty()) {
    const bool option = unknown[0].starts_with("-");
    const std::string name = unknown[0].substr(0, unknown[0].find('='));
    sentence = fmt::format("{} '{}'",
                           option                                      ? "there is no option"
                           : command->get_subcommands(nullptr).empty() ? "nothing is expected at"
                                                                       : "there is no command",
                           name) +
               suggestion(name, known_words(*command));
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    sentence = sentence.substr(0, sentence.find(':')) + " needs a value";
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    sentence = command->get_subcommands(nullptr).empty() ? missing_argument(*command) : "a command is missing";
  }
  print_sentence(fmt::format("{}: {}{}", path, sentence, sentence.ends_with("?") ? "" : "."));
  print_sentence(fmt::format("Try '{} --help'.", path));
  return 2;
}

int Program::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    chosen_ = [this] {
      print_own(help_text(*reached(app_.get())));
      return 0;
    };
  } catch (const CLI::CallForVersion& version) {
    chosen_ = [text = std::string(version.what()) + "\n"] {
      print_own(text);
      return 0;
    };
  } catch (const CLI::ParseError& error) {
    return wrong_call(error);
  }
  return 0;
}

int Program::run(int argc, const char* const* argv) {
  occupy_stderr();
  if (argc < 2) {
    print_words(help_text(*app_));
    return 2;
  }
  if (const int code = parse(argc, argv); code != 0) return code;
  handle_interrupts();
  // What fails in one of several processes mostly fails in all: the first has time to say it before the others do.
  const auto ended = [](const std::string& sentence, int code) {
    if (!is_first_process()) {
      std::signal(SIGTERM, SIG_DFL);  // by which the first ends the others
      std::this_thread::sleep_for(std::chrono::seconds(3));
    }
    failed(sentence, code);
    end_others(code);
    return code;
  };
  try {
    join_others();
    const std::string name = reached(app_.get())->get_name();
    if (processes() != nullptr && name != "factor" && name != "tree")
      return ended("several processes can run `factor` and `tree`, not `" + name + "`.", 2);
    const int code = chosen_();
    leave_others();
    return code;
  } catch (const Cancelled&) {
    return ended("stopped before there was a result; nothing was written.", interrupted_exit_code());
  } catch (const WrongOption& error) {
    const int code = ended(error.what(), 2);
    if (is_first_process()) print_sentence(fmt::format("Try '{} --help'.", command_path(*reached(app_.get()))));
    return code;
  } catch (const Error& error) {
    return ended(error.what(), 1);
  } catch (const std::bad_alloc&) {
    return ended("there is not enough memory" + what_needs_less(*reached(app_.get())) + ".", 1);
  } catch (const std::exception& error) {
    return ended(fmt::format("this should not have happened: {}", error.what()), 1);
  }
}

}  // namespace copse
