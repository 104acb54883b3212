// Nodes that can hand out their entries, for another engine to read.
#pragma once

#include <span>

#include "copse/matrix/sparse.h"

namespace copse {

template <class T>
class CompressedItems {
 public:
  virtual ~CompressedItems() = default;
  // A copy: terms x items.
  virtual SparseMatrix<T> compressed() const = 0;
  virtual Index entries_left(std::span<const char> kept) const = 0;
};

}  // namespace copse
