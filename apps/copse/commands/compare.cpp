// copse compare: all methods on the same data, each in a process of its own, in one table.
#include "apps/copse/commands/compare.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/show_comparison.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/log_files.h"
#include "copse/options/range.h"
#include "copse/options/wording.h"
#include "copse/report/compare_report.h"
#include "copse/run/options.h"

extern char** environ;

namespace copse {
namespace {

constexpr const char* compare_description =
    "every method on the same data, in one table\n"
    "Which method suits the data? Each method gets the same preparation, the same k and the same number of runs; of "
    "its "
    "runs the one with the best objective counts, never the one that fits --truth best. Each runs in a process of its "
    "own, one after the other, so that time and memory are fair.\n\n"
    "The table has accuracy, NMI, ARI and purity where the classes are known (--truth, --label); and always the mean "
    "coherence of the clusters' words, the mean silhouette, the stability (mean NMI of every pair of runs), seconds of "
    "all runs, and peak memory. How far methods agree with each other is their NMI: which see the same groups?\n\n"
    "Where nobody names --methods, all that suit the data take part: those that model counts of words where the data "
    "are documents or prepared as --text; XRAY, Hottopixx and affinity propagation, which can take hours, only with "
    "--time-limit. A method whose estimate, from an eighth of the items, exceeds it is left out. One that fails does "
    "not "
    "take the table with it. With -o it writes result.json, comparison.tsv (the table), assignments.tsv (the labels of "
    "all) "
    "and report.html; finished methods are kept there, and --resume goes on after an interruption.";

constexpr const char* compare_examples =
    "All methods on a folder of mails whose folders are the classes:\n"
    "  copse compare mails/ -k 20 --label folder -o out\n"
    "Four methods, every k from 5 to 20, ten runs of each:\n"
    "  copse compare X.npz -k 5:20 --methods nmf,tree,kmeans,spectral --runs 10 --time-limit 600s\n"
    "Beside the labels of another program:\n"
    "  copse compare papers.jsonl -k 30 --labels bertopic=labels.txt -o out";

struct Only {
  std::string method;
  Index k = 0;
};

// What a process left.
struct Ended {
  int status = 0;
  std::string output;
  std::string words;
  bool killed = false;
};

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  std::vector<std::string> words;
  std::string word;
  for (const char c : all.str()) {
    if (c != '\0') {
      word += c;
    } else {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (words.empty()) throw Error("the program cannot read its own command line from /proc.");
  return words;
}

// The same command line with `more`; ended by force after `limit` seconds.
Ended run_process(const std::vector<std::string>& more, double limit) {
  std::vector<std::string> words = own_command_line();
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("the program cannot open a pipe.");
  std::FILE* said = std::tmpfile();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (said != nullptr) ::posix_spawn_file_actions_adddup2(&actions, ::fileno(said), STDERR_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Ended ended;
  if (error != 0) {
    ::close(ends[0]);
    throw Error("the program cannot start itself again.");
  }
  const Stopwatch clock;
  char bytes[65536];
  while (true) {
    pollfd watched{ends[0], POLLIN, 0};
    const int ready = ::poll(&watched, 1, 200);
    if (ready > 0) {
      const ssize_t count = ::read(ends[0], bytes, sizeof bytes);
      if (count == 0 || (count < 0 && errno != EINTR)) break;
      if (count > 0) ended.output.append(bytes, static_cast<std::size_t>(count));
    }
    if (clock.seconds() > limit && !ended.killed) {
      ended.killed = true;
      ::kill(child, SIGKILL);
    }
  }
  ::close(ends[0]);
  while (::waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  if (said != nullptr) {
    std::rewind(said);
    for (std::size_t count = 0; (count = std::fread(bytes, 1, sizeof bytes, said)) > 0;)
      ended.words.append(bytes, count);
    std::fclose(said);
  }
  return ended;
}

// The last sentence that a failed process said, without the name of the program.
std::string last_sentence(const Ended& ended, double limit) {
  if (ended.killed) return fmt::format("did not end within {}.", in_seconds(limit));
  std::istringstream lines(ended.words);
  std::string line, last;
  while (std::getline(lines, line)) {
    if (!line.empty()) last = line;
  }
  if (last.starts_with("copse: ")) last = last.substr(7);
  if (!last.empty()) return last;
  return WIFSIGNALED(ended.status) ? fmt::format("ended by signal {}.", WTERMSIG(ended.status)) : "failed.";
}

// Finished outcomes, a line each, in the folder of the result.
class Outcomes {
 public:
  Outcomes(const std::string& folder, bool resume, std::string key) : key_(std::move(key)) {
    if (folder.empty()) return;
    path_ = std::filesystem::path(folder) / comparison_runs_file;
    if (std::filesystem::is_symlink(path_)) std::filesystem::remove(path_);  // what it points to is not ours
    if (resume) {
      std::ifstream file(path_);
      for (std::string line; std::getline(file, line);) {
        if (auto outcome = outcome_in(line, key_)) known_.push_back(std::move(*outcome));
      }
    } else {
      std::ofstream(path_, std::ios::trunc);
    }
  }

  const CompareOutcome* find(const std::string& method, Index k) const {
    for (const CompareOutcome& outcome : known_) {
      if (outcome.method == method && outcome.k == k) return &outcome;
    }
    return nullptr;
  }
  void keep(const CompareOutcome& outcome) const {
    if (path_.empty()) return;
    std::ofstream file(path_, std::ios::app);
    file << outcome_line(outcome, key_) << '\n';
    file.flush();
    if (!file) throw OutputError("cannot write " + path_.string() + ".");
  }

 private:
  std::string key_;
  std::filesystem::path path_;
  std::vector<CompareOutcome> known_;
};

int run_only(const CompareOptions& options, const Only& only, const MachineOptions& machine) {
  with_precision(machine.precision, [&]<class T> {
    CompareOutcome outcome;
    with_threads(machine.threads, &interruption(), [&] { outcome = compare_one<T>(options, only.method, only.k); });
    print_data(outcome_line(outcome, compare_key(options, machine.precision)) + "\n");
  });
  return interrupted_exit_code();
}

int run_compare(CompareOptions options, const OutputOptions& output, const MachineOptions& machine, bool resume) {
  Terminal terminal(output.quiet);
  if (options.methods.empty()) options.methods = suitable_methods(options.input, std::isfinite(options.time_limit));
  OutputOptions replacing = output;
  replacing.force |= resume;
  std::unique_ptr<OutputFolder> folder;
  if (!output.folder.empty()) folder = std::make_unique<OutputFolder>(output.folder, replacing.force);
  Comparison comparison = begin_comparison(options, machine.precision);
  comparison.threads = machine.threads;
  std::vector<CompareOutcome> given;
  with_precision(machine.precision, [&]<class T> {
    with_threads(machine.threads, &interruption(),
                 [&] { comparison.items = compare_items<T>(options, given, events_of(terminal)); });
  });
  const std::string key = compare_key(options, machine.precision);
  const Outcomes outcomes(output.folder, resume, key);
  // A method that does not look at its limit is ended some time after it.
  const double limit = std::isfinite(options.time_limit) ? 2 * options.time_limit + 60 : options.time_limit;
  for (const Index k : options.ks) {
    for (const std::string& method : options.methods) {
      if (interruption().requested()) break;
      if (const CompareOutcome* known = outcomes.find(method, k)) {
        comparison.outcomes.push_back(*known);
        continue;
      }
      terminal.show(fmt::format("{}, k = {} ({} of {}) ...", method, k, comparison.outcomes.size() + 1,
                                options.methods.size() * options.ks.size()));
      const Ended ended = run_process({"--only", fmt::format("{}:{}", method, k)}, limit);
      std::optional<CompareOutcome> outcome;
      if (WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0)
        outcome = outcome_in(ended.output.substr(0, ended.output.find('\n')), key);
      // What an interruption cut short is no outcome of the method.
      if (interruption().requested()) break;
      const bool failed = !outcome;
      if (failed) outcome = CompareOutcome{.method = method, .k = k, .failure = last_sentence(ended, limit)};
      if (!failed) outcomes.keep(*outcome);
      terminal.say(outcome->failure.empty() ? fmt::format("{}, k = {}: {}", method, k, in_seconds(outcome->seconds))
                                            : fmt::format("{}, k = {}: {}", method, k, outcome->failure));
      comparison.outcomes.push_back(std::move(*outcome));
    }
  }
  comparison.interrupted = interruption().requested();
  for (CompareOutcome& outcome : given) comparison.outcomes.push_back(std::move(outcome));
  const auto found =
      std::ranges::count_if(comparison.outcomes, [](const CompareOutcome& outcome) { return outcome.failure.empty(); });
  if (found == 0) {
    if (comparison.interrupted) throw Cancelled();
    throw Error("no method gave a result. " +
                (comparison.outcomes.empty() ? std::string() : comparison.outcomes.front().failure));
  }
  if (folder != nullptr) write_result(*folder, comparison, output.page);
  terminal.clear();
  if (output.json) {
    print_json(compare_json(comparison));
  } else {
    print_table(comparison_table(comparison.outcomes));
  }
  const std::string line = agreement_line(comparison.outcomes, agreement(comparison.outcomes, comparison.items));
  if (!line.empty()) terminal.say(line);
  if (comparison.interrupted && folder != nullptr)
    terminal.say("interrupted: the same command with --resume goes on with the methods that are missing.");
  if (folder != nullptr) terminal.say("written: " + output.folder);
  return interrupted_exit_code();
}

struct CompareCall : Call<CompareOptions> {
  Only only;
  bool resume = false;
};

OptionRows call_rows() {
  using Of = CompareCall;
  RowsOf<Of> rows;
  rows.computed(
          "only", OptionKind::text, [](const Of&) { return std::string(); },
          [](Of& call, const Setting& value) {
            const std::string& text = std::get<std::string>(value);
            const std::size_t colon = text.rfind(':');
            call.only.method = text.substr(0, colon);
            call.only.k = parse_index(std::string_view(text).substr(colon + 1), text);
            return true;
          },
          "One method with one k, as a line of JSON: what the processes of a comparison are called with")
      .shown_as("METHOD:K")
      .in(not_in_help);
  rows.row("resume", &Of::resume, "Keep the methods that an earlier call finished in this folder")
      .only_with("output")
      .in("Output");
  return rows.done();
}

}  // namespace

void add_compare(Program& program) {
  auto call = std::make_shared<CompareCall>();
  OptionRows rows = copse::rows<CompareOptions>();
  row_of(rows, "clusters").needed();
  Command command = program.add("compare", compare_description, compare_examples, [call] {
    return call->only.method.empty() ? run_compare(call->options, call->output, call->machine, call->resume)
                                     : run_only(call->options, call->only, call->machine);
  });
  add_documents_or_matrix(command, call->options, rows);
  command.add(*call, call_rows());
  add_output_and_machine(command, *call);
  command.then([call] {
    if (call->options.input.path == "-")
      throw WrongOption("matrix", "every method reads the data again: the standard input can't be read twice");
  });
}

}  // namespace copse
