#include "copse/text/mail.h"

#include <algorithm>

namespace copse {
namespace {

constexpr std::size_t no_match = std::string_view::npos;

std::string_view without_end(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r\n") + 1);  // npos + 1 is 0
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end == no_match ? no_match : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

bool is_field_character(char c) { return ('a' <= (c | 32) && (c | 32) <= 'z') || ('0' <= c && c <= '9') || c == '-'; }

// "Name: value", or the "From sender date" of a mailbox.
bool is_header(std::string_view line) {
  const auto end = std::find_if_not(line.begin(), line.end(), is_field_character);
  return (end != line.begin() && end != line.end() && *end == ':') || line.starts_with("From ");
}

std::string_view without_headers(std::string_view text) {
  std::string_view rest = text;
  if (!is_header(take_line(rest))) return text;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (without_end(line).empty()) return rest;
    const bool continues = line.front() == ' ' || line.front() == '\t';
    if (!continues && !is_header(line)) return text;
  }
  return rest;
}

std::string_view without_signature(std::string_view text) {
  std::size_t cut = no_match;
  for (std::size_t place = 0; place < text.size();) {
    std::string_view rest = text.substr(place);
    const std::string_view line = take_line(rest);
    if (without_end(line) == "--") cut = place;
    place += line.size();
  }
  return text.substr(0, cut);
}

bool is_quote(std::string_view line) {
  const std::size_t visible = line.find_first_not_of(" \t");
  return visible != no_match && (line[visible] == '>' || line[visible] == '|');
}

bool announces_quote(std::string_view line) {
  line = without_end(line);
  return line.starts_with("In article ") || line.ends_with("writes:") || line.ends_with("wrote:") ||
         line.ends_with("says:") || line.ends_with("said:");
}

}  // namespace

void strip_mail(std::string_view text, const MailOptions& options, std::string& kept) {
  kept.clear();
  if (options.drop_headers) text = without_headers(text);
  if (options.drop_signature) text = without_signature(text);
  if (!options.drop_quotes) {
    kept = text;
    return;
  }
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!is_quote(line) && !announces_quote(line)) kept += line;
  }
}

}  // namespace copse
