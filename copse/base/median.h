// The middle of some values.
#pragma once

#include <algorithm>
#include <span>

namespace copse {

// The mean of the two in the middle where their number is even; 0 for none. Reorders them.
template <class T>
T median(std::span<T> values) {
  if (values.empty()) return T(0);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace copse
