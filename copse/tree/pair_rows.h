// Sums over the rows of terms x 2 matrices, in parallel.
#pragma once

#include "copse/base/parallel.h"
#include "copse/tree/node_data.h"
#include "copse/tree/pair_kernels.h"

namespace copse {

// A'B as a1 b1, a1 b2, a2 b1, a2 b2.
template <class T>
std::array<double, 4> cross(const Matrix<T>& a, const Matrix<T>& b) {
  return sum_blocks(a.rows(), pair_rows_per_block, PairSums<4>{},
                    [&](Index begin, Index end) {
                      return cross_rows<T>(a.data() + 2 * begin, b.data() + 2 * begin, end - begin);
                    })
      .values;
}

template <class T>
PairGram pair_gram(const Matrix<T>& w) {
  const auto [a, b, same, c] = cross(w, w);
  return {a, b, c};
}

// Adds A [c0 c1; c2 c3] to `out`.
template <class T>
void add_product(const Matrix<T>& a, const std::array<double, 4>& c, Matrix<T>& out) {
  const std::array<T, 4> factors{static_cast<T>(c[0]), static_cast<T>(c[1]), static_cast<T>(c[2]),
                                 static_cast<T>(c[3])};
  parallel_blocks(a.rows(), pair_rows_per_block, [&](Index begin, Index end) {
    add_rows<T>(a.data() + 2 * begin, factors, end - begin, out.data() + 2 * begin);
  });
}

}  // namespace copse
