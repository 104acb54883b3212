// Decimal numbers in text, correctly rounded, and fast where few digits allow it.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

#include "copse/base/index.h"

namespace copse {

// Digits up to the first character that is none. Null if there are none or the number is 2^31 or more.
inline const char* parse_index(const char* text, const char* end, Index& value) {
  const char* p = text;
  Index sum = 0;
  for (; p != end && static_cast<unsigned char>(*p - '0') < 10; ++p) {
    sum = 10 * sum + (*p - '0');
    if (sum > std::numeric_limits<RowIndex>::max()) return nullptr;
  }
  value = sum;
  return p == text ? nullptr : p;
}

// Eight digits at once [Lemire 2018]; false if one of the characters is no digit.
inline bool parse_eight_digits(const char* text, std::uint64_t& value) {
  std::uint64_t bytes;
  std::memcpy(&bytes, text, sizeof bytes);
  const std::uint64_t high = bytes & 0xF0F0F0F0F0F0F0F0, carried = (bytes + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0;
  if ((high | carried >> 4) != 0x3333333333333333) return false;
  bytes -= 0x3030303030303030;
  bytes = 10 * bytes + (bytes >> 8);  // pairs
  constexpr std::uint64_t mask = 0x000000FF000000FF;
  value = ((bytes & mask) * 0x000F424000000064 + (bytes >> 16 & mask) * 0x0000271000000001) >> 32;
  return true;
}

// e for a number d.ddd x 10^e; only the sign matters to callers, so that huge exponents are cut off.
inline Index decimal_magnitude(const char* text, const char* end) {
  const char* exponent = std::find_if(text, end, [](char c) { return c == 'e' || c == 'E'; });
  const char* point = std::find(text, exponent, '.');
  const char* first = std::find_if(text, exponent, [](char c) { return '1' <= c && c <= '9'; });
  Index sum = 0;
  const bool negative = exponent != end && exponent + 1 != end && exponent[1] == '-';
  for (const char* p = exponent; p != end; ++p) {
    if ('0' <= *p && *p <= '9') sum = std::min<Index>(10 * sum + (*p - '0'), 1'000'000'000'000);
  }
  return (first < point ? point - first - 1 : point - first) + (negative ? -sum : sum);
}

// The slow way, for every number that the fast way leaves. Too large becomes infinity, too small zero.
template <class T>
const char* parse_any_number(const char* text, const char* end, T& value) {
  const char* start = text != end && *text == '+' ? text + 1 : text;
  if (start != text && start != end && *start == '-') return nullptr;
  const auto [p, error] = std::from_chars(start, end, value);
  if (error == std::errc::invalid_argument) return nullptr;
  if (error == std::errc::result_out_of_range) {
    value = decimal_magnitude(start, p) > 0 ? std::numeric_limits<T>::infinity() : T(0);
    if (*start == '-') value = -value;
  }
  return p;
}

// Reads a number and returns its end, or null if there is none. Infinities and NaN are numbers here.
template <class T>
inline const char* parse_number(const char* text, const char* end, T& value) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const auto is_digit = [&](const char* p) { return p != end && static_cast<unsigned char>(*p - '0') < 10; };
  const char* p = text;
  std::uint64_t digits = 0;
  for (; is_digit(p); ++p) digits = 10 * digits + static_cast<std::uint64_t>(*p - '0');
  const char* point = p;
  std::ptrdiff_t decimals = 0;
  if (p != end && *p == '.') {
    ++p;
    std::uint64_t eight = 0;
    if (std::endian::native == std::endian::little && end - p >= 8 && parse_eight_digits(p, eight)) {
      digits = 100'000'000 * digits + eight;
      p += 8;
    }
    for (; is_digit(p); ++p) digits = 10 * digits + static_cast<std::uint64_t>(*p - '0');
    decimals = p - point - 1;
  }
  const std::ptrdiff_t length = point - text + decimals;
  // [Clinger 1990]: two exact doubles give a correctly rounded quotient. 10^15 < 2^53.
  if (length == 0 || length > 15 || (p != end && (*p == 'e' || *p == 'E'))) return parse_any_number(text, end, value);
  const double quotient = static_cast<double>(digits) / powers[decimals];
  if constexpr (std::is_same_v<T, float>) {
    // Rounding twice goes wrong only from the middle between two floats, which is a double. (Or below the normal
    // floats, where 15 digits do not reach.)
    const bool middle = (std::bit_cast<std::uint64_t>(quotient) & 0x1fffffff) == 0x10000000;
    if (middle) return parse_any_number(text, end, value);
  }
  value = static_cast<T>(quotient);
  return p;
}

}  // namespace copse
