// The Gram matrix as the vector kernels want it: in T, with k made even by a zero row and column.
#pragma once

#include "copse/matrix/dense.h"

namespace copse {

template <class T>
struct TileGram {
  explicit TileGram(const Matrix<double>& gram)
      : k(gram.rows()), padded(k + k % 2), values(static_cast<std::size_t>(padded * padded), T(0)) {
    for (Index c = 0; c < k; ++c) {
      for (Index d = 0; d < k; ++d) values[static_cast<std::size_t>(c * padded + d)] = static_cast<T>(gram(c, d));
    }
  }

  const T* row(Index c) const { return values.data() + c * padded; }

  Index k;
  Index padded;
  Buffer<T> values;
};

}  // namespace copse
