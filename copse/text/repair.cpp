#include "copse/text/repair.h"

#include <simdjson.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace copse {
namespace {

// Windows-1252 from 0x80 to 0x9F.
constexpr char16_t windows_1252[32] = {0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                       0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD,
                                       0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                       0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

void append_windows_1252(std::string& text, unsigned char byte) {
  const unsigned code = byte < 0xA0 ? windows_1252[byte - 0x80] : byte;
  char bytes[4];
  int length = 0;
  U8_APPEND_UNSAFE(bytes, length, code);
  text.append(bytes, static_cast<std::size_t>(length));
}

}  // namespace

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

bool repair_text(std::string& text) {
  bool repaired = false;
  if (text.find('\0') != std::string::npos) {
    std::replace(text.begin(), text.end(), '\0', ' ');
    repaired = true;
  }
  if (is_utf8(text)) return repaired;
  std::string result;
  const auto size = static_cast<std::ptrdiff_t>(text.size());
  for (std::ptrdiff_t i = 0; i < size;) {
    const std::ptrdiff_t from = i;
    UChar32 code = 0;
    U8_NEXT(text.data(), i, size, code);
    if (code < 0) {
      i = from + 1;
      append_windows_1252(result, static_cast<unsigned char>(text[static_cast<std::size_t>(from)]));
    } else {
      result.append(text, static_cast<std::size_t>(from), static_cast<std::size_t>(i - from));
    }
  }
  text = std::move(result);
  return true;
}

}  // namespace copse
