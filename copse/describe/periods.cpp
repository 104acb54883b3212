#include "copse/describe/periods.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>

namespace copse {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

enum class Unit { day, month, year };

struct Time {
  year_month_day date;
  Unit unit = Unit::day;  // the finest that is known
};

constexpr int most_days = 62;
constexpr int most_months = 72;

// The digits at the beginning of the text, which are taken away; -1 unless there are exactly `count`.
int take_digits(std::string_view& text, std::size_t count) {
  int value = 0;
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end < count) return -1;
  std::from_chars(text.data(), text.data() + count, value);
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Time> from_epoch(std::string_view text) {
  const std::string_view whole = text.substr(0, text.find('.'));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (error != std::errc() || end != whole.data() + whole.size() || whole.size() < 9 || whole.size() > 13) return {};
  const std::int64_t seconds = whole.size() >= 12 ? value / 1000 : value;
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::seconds(seconds));
  return Time{year_month_day(sys_days(days)), Unit::day};
}

// Up to `most` digits at the beginning of the text, which are taken away; -1 if there is none.
int take_number(std::string_view& text, std::size_t most) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  return end == 0 || end > most ? -1 : take_digits(text, end);
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

// The date of a mail (RFC 2822): "Mon, 5 Apr 1993 12:34:56 -0500", where the day of the week and all behind the year
// may be missing, and a year of two digits is one from 1950 to 2049; "5-Apr-1993" is the same. The day is that of the
// writer.
std::optional<Time> from_mail(std::string_view text) {
  constexpr std::string_view months = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (const auto comma = text.find(','); comma != std::string_view::npos && comma <= 3) text.remove_prefix(comma + 1);
  skip_spaces(text);
  const int day = take_number(text, 2);
  if (!take(text, ' ') && !take(text, '-')) return {};
  skip_spaces(text);
  std::string name(text.substr(0, 3));
  for (char& c : name) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const auto place = name.size() == 3 ? months.find(name) : std::string_view::npos;
  if (day < 1 || place == std::string_view::npos || place % 3 != 0) return {};
  text.remove_prefix(3);
  if (!take(text, ' ') && !take(text, '-')) return {};
  skip_spaces(text);
  const std::size_t before = text.size();
  int year = take_number(text, 4);
  const std::size_t digits = before - text.size();
  if (year < 0 || digits < 2 || (!text.empty() && text.front() != ' ')) return {};
  if (digits < 4) year += digits == 2 && year < 50 ? 2000 : 1900;
  const year_month_day date = std::chrono::year(year) / static_cast<int>(place / 3 + 1) / day;
  if (!date.ok()) return {};
  return Time{date, Unit::day};
}

std::optional<Time> parse(std::string_view text) {
  skip_spaces(text);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (const auto time = from_epoch(text)) return time;
  if (const auto time = from_mail(text)) return time;
  const int year = take_digits(text, 4);
  if (year < 0) return {};
  Time time{year_month_day(std::chrono::year(year), std::chrono::January, std::chrono::day(1)), Unit::year};
  if (text.empty()) return time;
  const bool dashes = take(text, '-') || take(text, '/');
  const int month = take_digits(text, 2);
  if (month < 1 || month > 12) return {};
  time = {time.date.year() / month / 1, Unit::month};
  if (text.empty()) return time;
  if (dashes && !take(text, '-') && !take(text, '/')) return {};
  const int day = take_digits(text, 2);
  time = {time.date.year() / month / std::max(day, 0), Unit::day};
  if (!time.date.ok() || (!text.empty() && text.front() >= '0' && text.front() <= '9')) return {};
  return time;
}

// Units since some beginning, so that neighbours differ by one.
Index number_of(const year_month_day& date, Unit unit) {
  const Index months = 12 * static_cast<int>(date.year()) + static_cast<Index>(static_cast<unsigned>(date.month())) - 1;
  if (unit == Unit::month) return months;
  return unit == Unit::year ? static_cast<int>(date.year()) : sys_days(date).time_since_epoch().count();
}

std::string name_of(Index number, Unit unit) {
  char text[32];
  if (unit == Unit::year) {
    std::snprintf(text, sizeof text, "%04d", static_cast<int>(number));
  } else if (unit == Unit::month) {
    std::snprintf(text, sizeof text, "%04d-%02d", static_cast<int>(number / 12), static_cast<int>(number % 12) + 1);
  } else {
    const year_month_day date{sys_days(std::chrono::days(number))};
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  }
  return text;
}

}  // namespace

Periods periods_of(const std::vector<std::string>& times) {
  Periods periods;
  std::vector<std::optional<Time>> parsed;
  Unit unit = Unit::day;
  const Time *first = nullptr, *last = nullptr;
  parsed.reserve(times.size());
  for (const std::string& text : times) {
    const auto& time = parsed.emplace_back(parse(text));
    periods.unknown += !time && !text.empty();
    if (!time) continue;
    unit = std::max(unit, time->unit);
    if (first == nullptr || time->date < first->date) first = &*time;
    if (last == nullptr || time->date > last->date) last = &*time;
  }
  periods.places.assign(times.size(), -1);
  if (first == nullptr) return periods;
  const auto span = [&](Unit wanted) { return number_of(last->date, wanted) - number_of(first->date, wanted) + 1; };
  if (unit == Unit::day && span(Unit::day) > most_days) unit = Unit::month;
  if (unit == Unit::month && span(Unit::month) > most_months) unit = Unit::year;
  const Index begin = number_of(first->date, unit);
  for (Index p = 0; p < span(unit); ++p) periods.names.push_back(name_of(begin + p, unit));
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (parsed[i]) periods.places[i] = number_of(parsed[i]->date, unit) - begin;
  }
  return periods;
}

}  // namespace copse
