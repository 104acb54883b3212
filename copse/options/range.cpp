#include "copse/options/range.h"

#include <algorithm>
#include <charconv>

#include "copse/base/error.h"
#include "copse/options/wording.h"

namespace copse {

Index parse_index(std::string_view text, const std::string& whole) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 1)
    throw InvalidArgument("'" + whole + "' is no range such as 2:10, 5:60:5 or 3,5,8");
  return value;
}

std::vector<Index> parse_range(const std::string& text) {
  std::vector<Index> ks;
  if (text.find(':') == std::string::npos) {
    for (const std::string& part : split(text, ',')) ks.push_back(parse_index(part, text));
    std::ranges::sort(ks);
    ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
    return ks;
  }
  const auto parts = split(text, ':');
  if (parts.size() > 3) throw InvalidArgument("'" + text + "' has more than three numbers");
  const Index first = parse_index(parts[0], text), last = parse_index(parts[1], text);
  const Index step = parts.size() == 3 ? parse_index(parts[2], text) : 1;
  if (last < first) throw InvalidArgument("'" + text + "' runs backwards: write " + parts[1] + ":" + parts[0]);
  if ((last - first) / step > 9999) throw InvalidArgument("'" + text + "' has more than 10,000 numbers");
  for (Index k = first; k <= last; k += step) ks.push_back(k);
  return ks;
}

}  // namespace copse
