// Numbers of 4 or of 8 bytes, chosen at run time.
#pragma once

#include <type_traits>

namespace copse {

enum class Precision { single, full };

template <class T>
inline constexpr Precision precision_of = std::is_same_v<T, float> ? Precision::single : Precision::full;

// Calls work.template operator()<float>() or <double>().
template <class Work>
decltype(auto) with_precision(Precision precision, const Work& work) {
  return precision == Precision::single ? work.template operator()<float>() : work.template operator()<double>();
}

}  // namespace copse
