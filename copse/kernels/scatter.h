// X H' while the items are at hand, without X': every entry adds a multiple of its item's row of H' to a row of the
// sum.
#pragma once

#include "copse/base/buffer.h"
#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// A sum X H' (rows x k) that grows by blocks of items. Its rows are padded to whole vectors.
template <class T>
class ScatteredProduct {
 public:
  ScatteredProduct() = default;
  ScatteredProduct(Index rows, Index k);

  // += X H', where h holds H' as x.cols x k. Runs on the calling thread alone; the order of the sums is that of the
  // items.
  void add(const SparseView<T>& x, const Matrix<T>& h);
  // Row i, of which the first k numbers count.
  const T* row(Index i) const { return sums_.data() + i * stride_; }

  static double bytes(Index rows, Index k);

 private:
  Index k_ = 0, stride_ = 0;
  Buffer<T> sums_;
  Buffer<T> padded_;  // H' with rows of the same length
};

}  // namespace copse
