#include "copse/tree/ids.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace copse {
namespace {

constexpr std::size_t fewest_counted = 3;    // "1.1" is as short as "1x2", and plainer
constexpr std::size_t most_steps = 100'000;  // no tree is deeper; a count beyond it is no id

// Calls step(text) for the parts between the dots.
template <class Step>
void visit_steps(std::string_view id, const Step& step) {
  while (true) {
    const std::size_t end = std::min(id.find('.'), id.size());
    step(id.substr(0, end));
    if (end == id.size()) return;
    id.remove_prefix(end + 1);
  }
}

void append_step(std::string& id, std::string_view step) {
  if (!id.empty()) id += '.';
  id += step;
}

}  // namespace

std::string short_id(const std::string& id) {
  std::string result;
  std::string_view run;  // the step that repeats
  std::size_t count = 0;
  const auto end_run = [&] {
    if (count >= fewest_counted) {
      append_step(result, run);
      result += 'x' + std::to_string(count);
    } else {
      for (std::size_t s = 0; s < count; ++s) append_step(result, run);
    }
  };
  visit_steps(id, [&](std::string_view step) {
    if (step != run) {
      end_run();
      run = step;
      count = 0;
    }
    ++count;
  });
  end_run();
  return result;
}

std::string full_id(const std::string& id) {
  std::string result;
  bool valid = true;
  std::size_t steps = 0;
  visit_steps(id, [&](std::string_view text) {
    const std::string_view step = text.substr(0, 1);
    std::size_t count = 1;
    if (text.size() > 1) {
      const char* end = text.data() + text.size();
      const auto [stop, error] = text[1] == 'x' ? std::from_chars(text.data() + 2, end, count)
                                                : std::from_chars_result{text.data(), std::errc::invalid_argument};
      valid = valid && error == std::errc() && stop == end;
    }
    valid = valid && (step == "1" || step == "2") && count >= 1 && count <= most_steps - steps;
    if (!valid) return;
    steps += count;
    for (std::size_t s = 0; s < count; ++s) append_step(result, step);
  });
  return valid ? result : id;
}

}  // namespace copse
