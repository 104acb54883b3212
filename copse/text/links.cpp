#include "copse/text/links.h"

namespace copse {
namespace {

constexpr std::size_t not_found = std::string_view::npos;

bool is_alphanumeric(char c) { return ('a' <= (c | 32) && (c | 32) <= 'z') || ('0' <= c && c <= '9'); }

// Characters of a URL as they stand in running text; what is beyond ASCII may be part of one.
bool is_url_character(char c) {
  return static_cast<unsigned char>(c) > 32 && c != 127 && std::string_view("<>\"'`(){}[]|\\^").find(c) == not_found;
}

bool is_name_character(char c) {
  return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 128 ||
         std::string_view(".!#$%&*+-/=?^_{|}~").find(c) != not_found;
}

bool is_host_character(char c) {
  return is_alphanumeric(c) || c == '.' || c == '-' || static_cast<unsigned char>(c) >= 128;
}

bool ends_sentence(char c) { return std::string_view(".,;:!?").find(c) != not_found; }

// A URL whose scheme or www starts at `begin`.
Link url(std::string_view text, std::size_t begin, std::size_t end) {
  while (end < text.size() && is_url_character(text[end])) ++end;
  while (end > begin && ends_sentence(text[end - 1])) --end;
  return {begin, end};
}

// scheme://...; `colon` is where :// is.
Link url_with_scheme(std::string_view text, std::size_t from, std::size_t colon) {
  std::size_t begin = colon;
  while (begin > from && is_alphanumeric(text[begin - 1])) --begin;
  if (begin == colon) return {};
  return url(text, begin, colon + 3);
}

Link address(std::string_view text, std::size_t from, std::size_t at) {
  std::size_t begin = at, end = at + 1;
  while (begin > from && is_name_character(text[begin - 1])) --begin;
  while (end < text.size() && is_host_character(text[end])) ++end;
  while (end > at + 1 && !is_alphanumeric(text[end - 1]) && static_cast<unsigned char>(text[end - 1]) < 128) --end;
  if (begin == at || end == at + 1) return {};
  const bool in_brackets = begin > 0 && text[begin - 1] == '<' && end < text.size() && text[end] == '>';
  if (!in_brackets && text.substr(at, end - at).find('.') == not_found) return {};
  return {begin, end};
}

bool starts_a_word(std::string_view text, std::size_t place) { return place == 0 || !is_alphanumeric(text[place - 1]); }

}  // namespace

LinkFinder::LinkFinder(std::string_view text) : text_(text) {
  seek_scheme();
  seek_www();
  seek_address();
}

void LinkFinder::seek_scheme() {
  scheme_ = {};
  for (std::size_t place = from_; (place = text_.find("://", place)) != not_found && scheme_.begin == not_found;
       place += 3)
    scheme_ = url_with_scheme(text_, from_, place);
}

void LinkFinder::seek_www() {
  www_ = {};
  for (std::size_t place = from_; (place = text_.find("www.", place)) != not_found && www_.begin == not_found;
       place += 4) {
    if (starts_a_word(text_, place)) www_ = url(text_, place, place + 4);
  }
}

void LinkFinder::seek_address() {
  address_ = {};
  for (std::size_t place = from_; (place = text_.find('@', place)) != not_found && address_.begin == not_found; ++place)
    address_ = address(text_, from_, place);
}

Link LinkFinder::next() {
  const auto earlier = [](Link a, Link b) { return b.begin < a.begin ? b : a; };
  const Link link = earlier(earlier(scheme_, www_), address_);
  if (link.begin == not_found) return link;
  from_ = link.end;
  if (scheme_.begin < from_) seek_scheme();
  if (www_.begin < from_) seek_www();
  if (address_.begin < from_) seek_address();
  return link;
}

}  // namespace copse
