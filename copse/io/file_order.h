// Items as other programs store them: the features of an item in any order, some of them twice.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "copse/base/index.h"
#include "copse/io/input.h"

namespace copse {

// Of neighbouring items, the first of which is number `first` of the file: brings their features into order, adds up
// those that stand there twice, and moves what follows. Throws InputError for a number that is no feature and for a
// value that is negative or not finite; `what` is what an item is called.
template <class T>
void order_items(const std::string& name, const char* what, Index features, Index first, Index items, Index* offsets,
                 RowIndex* indices, T* values) {
  std::vector<std::pair<RowIndex, T>> entries;
  Index to = 0;
  for (Index j = 0; j < items; ++j) {
    const Index begin = offsets[j], end = offsets[j + 1];
    const auto item = [&] { return what + (" " + std::to_string(first + j + 1)); };
    bool ascending = true;
    for (Index p = begin; p < end; ++p) {
      if (indices[p] < 0 || indices[p] >= features)
        fail(name, "an index of " + item() + " is outside of 0 to " + std::to_string(features - 1) + ".");
      if (!(values[p] >= 0 && values[p] <= std::numeric_limits<T>::max()))
        fail(name, "an entry of " + item() +
                       (std::isnan(values[p])   ? " is not a number (NaN)."
                        : std::isinf(values[p]) ? " is infinite or too large for this precision."
                                                : " is negative, " + std::to_string(values[p]) + "."));
      ascending = ascending && (p == begin || indices[p - 1] < indices[p]);
    }
    offsets[j] = to;
    if (ascending) {
      if (to != begin) {
        std::copy(indices + begin, indices + end, indices + to);
        std::copy(values + begin, values + end, values + to);
      }
      to += end - begin;
      continue;
    }
    entries.clear();
    for (Index p = begin; p < end; ++p) entries.emplace_back(indices[p], values[p]);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const Index start = to;
    for (const auto& [row, value] : entries) {
      if (to > start && indices[to - 1] == row) {
        values[to - 1] += value;
        if (values[to - 1] > std::numeric_limits<T>::max())
          fail(name, "duplicate entries of " + item() + " add up to more than this precision holds.");
      } else {
        indices[to] = row;
        values[to++] = value;
      }
    }
  }
  offsets[items] = to;
}

}  // namespace copse
