// Powers of two: data of any scale is brought near 1 on the way in and back on the way out, without rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/index.h"
#include "copse/base/parallel.h"

namespace copse {

// Multiplies values by 2^exponent, and by a factor.
template <class T>
class PowerOfTwo {
 public:
  explicit PowerOfTwo(int exponent) : exponent_(exponent), power_(static_cast<T>(std::ldexp(1.0, exponent))) {}

  void operator()(const T* from, Index count, T factor, T* to) const {
    if (std::isnormal(power_)) {
      const T product = factor * power_;
      for (Index e = 0; e < count; ++e) to[e] = product * from[e];
    } else {
      for (Index e = 0; e < count; ++e) to[e] = factor * std::ldexp(from[e], exponent_);
    }
  }

 private:
  int exponent_;
  T power_;  // 2^exponent, if that is a number of T
};

// The largest of all values, without their signs; 0 if there is none. Throws InvalidArgument unless all are finite.
template <class T>
T largest_size(std::span<const T> values) {
  struct Largest {
    T value = 0;
    bool finite = true;
    Largest& operator+=(const Largest& other) {
      value = std::max(value, other.value);
      finite = finite && other.finite;
      return *this;
    }
  };
  const auto largest = sum_blocks(static_cast<Index>(values.size()), 65536, Largest{}, [&](Index begin, Index end) {
    Largest found;
    for (Index e = begin; e < end; ++e) {
      const T size = std::abs(values[e]);
      found.value = std::max(found.value, size);
      found.finite &= size <= std::numeric_limits<T>::max();
    }
    return found;
  });
  if (!largest.finite) throw InvalidArgument("A tree needs finite numbers, and the matrix has others.");
  return largest.value;
}

// The exponent e of the largest of all values, which is from 2^e to 2^(e + 1); 0 if there is none but zero.
template <class T>
int largest_exponent(std::span<const T> values) {
  const T largest = largest_size(values);
  return largest > 0 ? std::ilogb(largest) : 0;
}

// Whether no square of values of this size leaves the range of double.
template <class T>
bool fits_plain_squares(int exponent) {
  return sizeof(T) == sizeof(float) || std::abs(exponent) < 400;
}

// |x|^2 for the values divided by 2^exponent.
template <class T>
double scaled_square(std::span<const T> values, int exponent) {
  double sum = 0;
  if (fits_plain_squares<T>(exponent)) {
    for (const T value : values) sum += static_cast<double>(value) * static_cast<double>(value);
    return std::ldexp(sum, -2 * exponent);
  }
  for (const T value : values) {
    const double scaled = std::ldexp(static_cast<double>(value), -exponent);
    sum += scaled * scaled;
  }
  return sum;
}

}  // namespace copse
