#include "copse/text/html.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <array>

namespace copse {
namespace {

constexpr std::size_t none = std::string_view::npos;

// The names of U+00A0 ... U+00FF, in order.
constexpr std::string_view latin =
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute "
    "micro "
    "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil "
    "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave "
    "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml "
    "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute "
    "thorn yuml ";
// U+0391 ... U+03C9, in order; ? where none is assigned or named.
constexpr std::string_view greek =
    "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho ? Sigma Tau Upsilon Phi "
    "Chi "
    "Psi Omega ? ? ? ? ? ? ? alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
    "sigmaf sigma tau upsilon phi chi psi omega ";

struct Entity {
  std::string_view name;
  char32_t code;
};
constexpr Entity others[] = {{"amp", '&'},       {"lt", '<'},        {"gt", '>'},        {"quot", '"'},
                             {"apos", '\''},     {"OElig", 0x152},   {"oelig", 0x153},   {"Scaron", 0x160},
                             {"scaron", 0x161},  {"Yuml", 0x178},    {"fnof", 0x192},    {"ensp", 0x2002},
                             {"emsp", 0x2003},   {"thinsp", 0x2009}, {"zwnj", 0x200C},   {"zwj", 0x200D},
                             {"ndash", 0x2013},  {"mdash", 0x2014},  {"lsquo", 0x2018},  {"rsquo", 0x2019},
                             {"sbquo", 0x201A},  {"ldquo", 0x201C},  {"rdquo", 0x201D},  {"bdquo", 0x201E},
                             {"dagger", 0x2020}, {"bull", 0x2022},   {"hellip", 0x2026}, {"permil", 0x2030},
                             {"prime", 0x2032},  {"lsaquo", 0x2039}, {"rsaquo", 0x203A}, {"euro", 0x20AC},
                             {"trade", 0x2122},  {"larr", 0x2190},   {"rarr", 0x2192},   {"minus", 0x2212}};

char32_t code_in(std::string_view list, std::string_view name, char32_t first) {
  for (char32_t code = first; !list.empty(); ++code) {
    const std::size_t end = list.find(' ');
    if (list.substr(0, end) == name) return code;
    list.remove_prefix(end + 1);
  }
  return 0;
}

char32_t named(std::string_view name) {
  for (const Entity& entity : others) {
    if (entity.name == name) return entity.code;
  }
  if (const char32_t code = code_in(latin, name, 0xA0)) return code;
  return code_in(greek, name, 0x391);
}

char32_t numbered(std::string_view digits) {
  const bool hexadecimal = digits.starts_with('x') || digits.starts_with('X');
  if (hexadecimal) digits.remove_prefix(1);
  if (digits.empty()) return 0;
  char32_t code = 0;
  for (const char c : digits) {
    const int digit = '0' <= c && c <= '9' ? c - '0' : 'a' <= (c | 32) && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
    if (digit >= (hexadecimal ? 16 : 10)) return 0;
    code = code * (hexadecimal ? 16 : 10) + static_cast<char32_t>(digit);
    if (code > 0x10FFFF) return 0xFFFD;
  }
  return code == 0 || (code >= 0xD800 && code <= 0xDFFF) ? 0xFFFD : code;
}

// Appends what stands at the front, an & first, and returns its length.
std::size_t append_entity(std::string_view html, std::string& out) {
  constexpr std::size_t longest = 12;
  const std::size_t end = html.substr(0, longest).find(';');
  if (end != none) {
    const std::string_view name = html.substr(1, end - 1);
    const char32_t code = name.starts_with('#') ? numbered(name.substr(1)) : named(name);
    if (code != 0) {
      char bytes[4];
      int length = 0;
      U8_APPEND_UNSAFE(bytes, length, code);
      out.append(bytes, static_cast<std::size_t>(length));
      return end + 1;
    }
  }
  out += '&';
  return 1;
}

char lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_letter(char c) { return 'a' <= lower(c) && lower(c) <= 'z'; }

bool equal_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

// Where </name begins, at or after `from`.
std::size_t find_end_tag(std::string_view html, std::string_view name, std::size_t from) {
  for (std::size_t place = from; (place = html.find("</", place)) != none; place += 2) {
    if (equal_without_case(html.substr(place + 2, name.size()), name)) return place;
  }
  return html.size();
}

// Where the tag that begins at `from` ends; a > within quotes does not end it, unless the quote never closes.
std::size_t tag_end(std::string_view html, std::size_t from) {
  std::size_t place = from;
  for (;;) {
    place = html.find_first_of(">\"'", place);
    if (place == none) return html.size();
    if (html[place] == '>') return place + 1;
    // Only a quote that follows = opens a value.
    std::size_t close = none;
    if (html[place - 1] == '=') close = html.substr(0, place + 4096).find(html[place], place + 1);
    place = close == none ? place + 1 : close + 1;
  }
}

// Tags that are part of a word or a sentence; at any other a new line begins.
constexpr std::array<std::string_view, 24> inline_tags = {
    "a",   "abbr", "b",    "bdi", "bdo",  "big",   "cite", "code",   "dfn", "em",  "font", "i",
    "ins", "kbd",  "mark", "q",   "samp", "small", "span", "strong", "sub", "sup", "u",    "wbr"};

}  // namespace

HtmlText text_of_html(std::string_view html) {
  HtmlText result;
  std::string* out = &result.text;
  for (std::size_t place = 0; place < html.size();) {
    const std::size_t mark = std::min(html.find_first_of("<&", place), html.size());
    out->append(html, place, mark - place);
    place = mark;
    if (place == html.size()) break;
    if (html[place] == '&') {
      place += append_entity(html.substr(place), *out);
      continue;
    }
    if (html.substr(place, 4) == "<!--") {
      const std::size_t end = html.find("-->", place + 4);
      place = end == none ? html.size() : end + 3;
      continue;
    }
    const std::size_t name_at = place + (html.substr(place, 2) == "</" ? 2 : 1);
    const char first = name_at < html.size() ? html[name_at] : ' ';
    if (!is_letter(first) && first != '!' && first != '?') {  // "a < b"
      *out += '<';
      ++place;
      continue;
    }
    std::size_t name_end = name_at;
    while (name_end < html.size() && (is_letter(html[name_end]) || ('0' <= html[name_end] && html[name_end] <= '9')))
      ++name_end;
    const std::string_view name = html.substr(name_at, name_end - name_at);
    const bool opens = name_at == place + 1;
    place = tag_end(html, name_end);
    if (std::none_of(inline_tags.begin(), inline_tags.end(),
                     [&](std::string_view tag) { return equal_without_case(tag, name); }))
      *out += '\n';
    if (opens && (equal_without_case(name, "script") || equal_without_case(name, "style"))) {
      place = find_end_tag(html, name, place);
    } else if (equal_without_case(name, "title")) {
      out = opens && result.title.empty() ? &result.title : &result.text;
    }
  }
  while (result.title.starts_with('\n') || result.title.starts_with(' ')) result.title.erase(0, 1);
  while (result.title.ends_with('\n') || result.title.ends_with(' ')) result.title.pop_back();
  return result;
}

}  // namespace copse
