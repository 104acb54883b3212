#include "copse/io/read_error.h"

#include <algorithm>

#include "copse/base/error.h"
#include "copse/io/utf8.h"

namespace copse {

void fail(const std::string& name, const std::string& sentence) { throw InputError(name + ": " + sentence); }

void fail(const std::string& name, std::ptrdiff_t line, const std::string& sentence) {
  throw InputError(name + ", line " + std::to_string(line) + ": " + sentence);
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result(text.substr(0, longest));
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 32 || c == 127; }, '?');
  repair_utf8(result);
  return "'" + result + (text.size() > longest ? "...'" : "'");
}

}  // namespace copse
