#include "copse/options/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>

#include "copse/base/error.h"

namespace copse {
namespace {

// A number with a unit from the table, in any case.
double parse_with_unit(const std::string& text, const std::map<std::string, double>& units, const char* expected) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit;
  for (const char* p = end; p != text.data() + text.size(); ++p) {
    if (*p != ' ') unit.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(*p))));
  }
  const auto factor = units.find(unit);
  if (error != std::errc() || factor == units.end() || !(value > 0) || std::isinf(value)) {
    throw InvalidArgument("'" + text + "' is not " + expected);
  }
  return value * factor->second;
}

}  // namespace

std::string counted(Index count) {
  std::string digits = std::to_string(std::abs(count));
  for (std::ptrdiff_t place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return count < 0 ? "-" + digits : digits;
}

std::string counted(Index count, std::string_view singular) {
  return counted(count) + " " + std::string(singular) + (count == 1 ? "" : "s");
}

std::string in_bytes(double bytes) {
  if (bytes < 1000) return fmt::format("{:.0f} bytes", bytes);
  const char* const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (bytes /= 1000; bytes >= 999.5 && unit + 1 < std::size(units); bytes /= 1000) ++unit;
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.95 ? 1 : 0, units[unit]);
}

std::string in_seconds(double seconds) {
  if (seconds < 0.095) return fmt::format("{:.3f} s", seconds);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  const auto whole = static_cast<long long>(std::min(seconds, 1e15) + 0.5);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string plain_number(double number) { return fmt::format("{:.15g}", number); }

double parse_bytes(const std::string& text) {
  static const std::map<std::string, double> units = {
      {"", 1},     {"b", 1},    {"k", 1e3},   {"kb", 1e3},   {"m", 1e6},       {"mb", 1e6},     {"g", 1e9},
      {"gb", 1e9}, {"t", 1e12}, {"tb", 1e12}, {"kib", 1024}, {"mib", 1048576}, {"gib", 0x1p30}, {"tib", 0x1p40}};
  return parse_with_unit(text, units, "an amount of memory, such as 500M, 8G or 16GiB");
}

double parse_seconds(const std::string& text) {
  static const std::map<std::string, double> units = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
  return parse_with_unit(text, units, "a time, such as 90, 90s, 5m or 2h");
}

}  // namespace copse
