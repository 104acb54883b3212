#include "apps/copse/terminal/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "apps/copse/terminal/harmless.h"
#include "apps/copse/terminal/spelling.h"
#include "apps/copse/terminal/words.h"
#include "copse/io/output_file.h"

namespace copse {
namespace {

bool can_rewrite_lines(int descriptor) {
  const char* kind = std::getenv("TERM");
  return ::isatty(descriptor) != 0 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

std::size_t said = 0;

}  // namespace

Terminal::Terminal(bool quiet) : quiet_(quiet), live_(!quiet && can_rewrite_lines(STDERR_FILENO)) {}

void Terminal::say(std::string_view line) {
  if (quiet_) return;
  clear();
  print_sentence(line);
  said += rows_of(line);
}

void Terminal::show(std::string_view status) {
  if (!live_) return;
  print_words(fmt::format("\r{}\033[K", harmless(status).substr(0, terminal_width() - 1)));
  std::fflush(stderr);
  shown_ = true;
}

void Terminal::clear() {
  if (!shown_) return;
  print_words("\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

RunEvents events_of(Terminal& terminal) {
  return {.say = [&terminal](const std::string& line) { terminal.say(line); },
          .status = [&terminal](const std::string& status) { terminal.show(status); }};
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

std::size_t terminal_height() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0) return 0;
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 ? 24 : size.ws_row;
}

std::size_t rows_of(std::string_view line) {
  const std::size_t width = terminal_width();
  return std::max<std::size_t>(1, (line.size() + width - 1) / width);
}

std::size_t rows_said() { return said; }

bool utf8_output() {
  // The first that is set counts, as for setlocale(LC_CTYPE, "").
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    return locale.ends_with("UTF-8") || locale.ends_with("utf8") || locale.ends_with("UTF8") ||
           locale.ends_with("utf-8");
  }
  return false;
}

bool bold_output() { return can_rewrite_lines(STDOUT_FILENO) && std::getenv("NO_COLOR") == nullptr; }

void occupy_stderr() {
  if (::fcntl(STDERR_FILENO, F_GETFD) >= 0) return;
  const int nothing = ::open("/dev/null", O_WRONLY);
  if (nothing < 0 || nothing == STDERR_FILENO) return;
  ::dup2(nothing, STDERR_FILENO);
  ::close(nothing);
}

void print_words(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void print_sentence(std::string_view sentence) { print_words(harmless(spelled(sentence)) + "\n"); }

void print_own(std::string_view text) {
  OutputFile output("-");
  output.write(text);
  output.commit();
}

void print_data(std::string_view text) {
  print_own(::isatty(STDOUT_FILENO) != 0 ? harmless_lines(text) : std::string(text));
}

void print_table(std::string_view text) { print_own(harmless_lines(text)); }

void print_json(std::string_view text) { print_own(harmless_json(text)); }

FactorProgress::FactorProgress(Terminal& terminal, const NmfOptions& options)
    : terminal_(terminal),
      max_iterations_(options.max_iterations),
      runs_(options.runs),
      time_limit_(options.time_limit) {}

void FactorProgress::operator()(const Iteration& iteration) {
  if (iteration.number == 1) ++run_;
  ++iterations_;
  const auto now = Clock::now();
  if (!terminal_.live() || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(iterations_) / std::max(elapsed, 1e-9);
  const int to_do = max_iterations_ - iteration.number + (runs_ - run_) * max_iterations_;
  // It may converge earlier: this is the most that it can take.
  const double left = std::min(static_cast<double>(to_do) / rate, std::max(0.0, time_limit_ - elapsed));
  const double share = std::clamp(elapsed / std::max(elapsed + left, 1e-9), 0.0, 1.0);
  const std::string place = runs_ > 1 ? fmt::format("run {}/{} ", run_, runs_) : "";
  const std::string tail = fmt::format("{}{}/{}  error {:.5f}  gradient {:.1e}  {:.3g}/s  at most {} left", place,
                                       iteration.number, max_iterations_, iteration.relative_error,
                                       iteration.projected_gradient_ratio, rate, in_seconds(left));
  const std::size_t width = terminal_width();
  const std::size_t bar = width > tail.size() + 16 ? std::min<std::size_t>(30, width - tail.size() - 4) : 0;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar));
  terminal_.show(bar == 0 ? tail : "[" + std::string(filled, '#') + std::string(bar - filled, '.') + "] " + tail);
}

}  // namespace copse
