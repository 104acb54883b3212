// The inner loops of rank-2 NMF on arrays of pairs, such as the rows of W, with vector instructions.
#pragma once

#include <array>

#include "copse/base/index.h"
#include "copse/nnls/two_columns.h"

namespace copse {

// Sums over rows or items; their order depends on the range only.
template <std::size_t count>
struct PairSums {
  std::array<double, count> values{};
  PairSums& operator+=(const PairSums& other) {
    for (std::size_t e = 0; e < count; ++e) values[e] += other.values[e];
    return *this;
  }
};

template <class T>
struct SparseItems {
  const Index* offsets;
  const RowIndex* indices;
  const T* values;
};

// Row i of `table` is (w1, w2, s1, s2): row i of W and, beside it, so that both cost one access to memory, a row of S.
// For the items begin <= j < end: b = W'x, h = solve(b), h_j = h, S += x h'.
// The sums are h1 h1, h1 h2, h2 h2, b'h.
template <class T>
PairSums<4> sweep_items(const SparseItems<T>& x, T* table, const TwoColumns<T>& solve, Index begin, Index end, T* h);

// The same with h = b.
template <class T>
PairSums<4> project_items(const SparseItems<T>& x, T* table, Index begin, Index end, T* h);

// The sums w1 w1, w1 w2, w2 w2 over the rows.
template <class T>
PairSums<3> gram_rows(const T* w, Index rows);

// For `rows` rows: g = solve(y). The sums are g1 g1, g2 g2, the squares of the projected gradient
// d = w [a b; b c] - y, where only its negative part counts if w is zero, and y'y.
template <class T>
PairSums<4> solve_rows(const T* y, const T* w, const TwoColumns<T>& solve, T a, T b, T c, Index rows, T* g);

// out = max(0, sum of weight_i * in_i) over three arrays of pairs; sums of out1 out1, out2 out2.
template <class T>
PairSums<2> combine_rows(const std::array<const T*, 3>& in, const std::array<T, 3>& weights, Index rows, T* out);

// step = g - w; sums of step'others_i. An array may be `step` itself.
template <class T>
PairSums<3> step_rows(const T* g, const T* w, const std::array<const T*, 3>& others, Index rows, T* step);

// Multiplies the first and the second of each pair.
template <class T>
void scale_rows(T first, T second, Index rows, T* pairs);

}  // namespace copse
