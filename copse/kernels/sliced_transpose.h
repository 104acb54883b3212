// X', kept for products X H' over many items.
#pragma once

#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// The rows of X, cut into slices of items. A product goes through one slice after the other, so that the part of H that
// it reads at random stays in the caches.
template <class T>
class SlicedTranspose {
 public:
  SlicedTranspose() = default;
  explicit SlicedTranspose(SparseView<T> x);

  // out = X H' (rows x k), where h holds H' as cols x k. Sums over slices are added in their order.
  void times(const Matrix<T>& h, Matrix<T>& out) const;

 private:
  std::vector<SparseMatrix<T>> slices_;
};

}  // namespace copse
