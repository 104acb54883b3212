#include "apps/copse/terminal/harmless.h"

#include <fmt/format.h>

#include "copse/io/names.h"

namespace copse {
namespace {

// The bytes of the character at the front of the text, which is UTF-8.
std::size_t length_of(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

unsigned code_of(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  unsigned code = character.size() == 1 ? first : first & (0x7Fu >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return code;
}

bool is_control(unsigned code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

// Ends of lines, and marks that turn the direction of all that follows (Unicode 15, sections 23.1 and 23.2).
bool is_layout(unsigned code) {
  return code == 0x2028 || code == 0x2029 || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string without_controls(std::string_view text, std::string_view kept) {
  std::string valid(text), result;
  repair_utf8(valid);
  for (std::string_view rest = valid; !rest.empty();) {
    const std::string_view character = rest.substr(0, length_of(rest));
    rest.remove_prefix(character.size());
    const unsigned code = code_of(character);
    const bool space = (code >= 0x09 && code <= 0x0D) || code == 0x2028 || code == 0x2029;
    const bool stays = (!is_control(code) && !is_layout(code)) || kept.find(character) != std::string_view::npos;
    result += stays ? character : space ? " " : "?";
  }
  return result;
}

}  // namespace

std::string harmless(std::string_view text) { return without_controls(text, ""); }

std::string harmless_lines(std::string_view text) { return without_controls(text, "\n\t"); }

std::string harmless_json(std::string_view json) {
  std::string result;
  for (std::string_view rest = json; !rest.empty();) {
    const std::string_view character = rest.substr(0, length_of(rest));
    rest.remove_prefix(character.size());
    const unsigned code = code_of(character);
    const bool harmful = (is_control(code) && code >= 0x20) || is_layout(code);
    result += harmful ? fmt::format("\\u{:04x}", code) : std::string(character);
  }
  return result;
}

}  // namespace copse
