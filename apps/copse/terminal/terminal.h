// Words to the user: on stderr, so that data on stdout stays clean. Only this file and the commands print.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "copse/base/events.h"
#include "copse/nmf/nmf.h"

namespace copse {

class Terminal {
 public:
  // With quiet, nothing but errors is said.
  explicit Terminal(bool quiet);
  ~Terminal() { clear(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // A line that stays.
  void say(std::string_view line);
  // What goes on now; replaced by the next line. Shown only on a terminal.
  void show(std::string_view status);
  void clear();

  bool live() const { return live_; }

 private:
  bool quiet_;
  bool live_;  // stderr is a terminal that can rewrite a line
  bool shown_ = false;
};

// The sentences and the status of a run, on this terminal, which must outlive them.
RunEvents events_of(Terminal& terminal);

// Columns of the terminal behind stderr, or 80.
std::size_t terminal_width();

// Rows of the terminal behind stdout, or 0 where it is none.
std::size_t terminal_height();
// Rows that a line takes there.
std::size_t rows_of(std::string_view line);
// Rows of all lines that were said so far.
std::size_t rows_said();

// Whether the terminal's characters are UTF-8.
bool utf8_output();

// Whether stdout is a terminal that shows bold text.
bool bold_output();

// Where stderr is closed, the next file that is opened would get its number, and the words: nothing takes its place.
void occupy_stderr();

// Words of the program on stderr. Words that cannot be printed are no reason to lose work that is done.
void print_words(std::string_view text);
// A line there that may hold names and words of others, and options in backquotes.
void print_sentence(std::string_view sentence);

// On stdout; all throw OutputError when it cannot take it. Text of the program itself:
void print_own(std::string_view text);
// Data, byte for byte; on a terminal harmless.
void print_data(std::string_view text);
// Lines for people, and JSON: harmless wherever they go.
void print_table(std::string_view text);
void print_json(std::string_view text);

// The bar of a factorization: rate, error and an upper bound of the time that is left.
class FactorProgress {
 public:
  FactorProgress(Terminal& terminal, const NmfOptions& options);
  void operator()(const Iteration& iteration);

 private:
  using Clock = std::chrono::steady_clock;
  Terminal& terminal_;
  int max_iterations_;
  int runs_;
  double time_limit_;
  int run_ = 0;
  long long iterations_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace copse
