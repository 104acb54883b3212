// The inner loops of rank-2 NMF on arrays of pairs, such as the rows of W, with vector instructions.
#pragma once

#include <array>

#include "copse/base/index.h"
#include "copse/nnls/two_columns.h"
#include "copse/tree/constants.h"

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

// Compressed columns; Row is std::uint16_t or RowIndex.
template <class T, class Row>
struct SparseItems {
  const Index* offsets;
  const Row* indices;
  const T* values;
};

// Row i of W is at w + 2 * i, that of the sums S at s + 2 * i.
// For the items begin <= j < end: b = W'x, h = solve(b), h_j = h, S += x h'. The sums are h1 h1, h1 h2, h2 h2, b'h.
template <class T, class Row>
PairSums<4> sweep_items(const SparseItems<T, Row>& x, const T* w, const TwoColumns<T>& solve, Index begin, Index end,
                        T* h, T* s);

// The same with h = b, or where `in_first` is given h = (b1, 0) for the items that are and (0, b2) for the others.
template <class T, class Row>
PairSums<4> project_items(const SparseItems<T, Row>& x, const T* w, const char* in_first, Index begin, Index end, T* h,
                          T* s);

// For the items begin <= j < end: S += x h_j'.
template <class T, class Row>
void spread_items(const SparseItems<T, Row>& x, const T* h, Index begin, Index end, T* s);

// One alternation of W, rows at a time: g = solve(y), step = g - w. The sums are, for each of the two columns, the
// squares of the projected gradient d = w [a b; b c] - y, where only its negative part counts if w is zero; for each of
// the two columns the squares of y; and step'others_i. An array may be `step` itself.
template <class T>
struct Alternated {
  T* g;
  T* step;
};
template <class T>
PairSums<7> alternate_rows(const T* y, const T* w, const TwoColumns<T>& solve, T a, T b, T c,
                           const std::array<const T*, 3>& others, Index rows, const Alternated<T>& out);

// out = max(0, sum of weight_i * in_i) over three arrays of pairs. The sums are out1 out1, out1 out2, out2 out2 and
// (out - from)'along.
template <class T>
PairSums<4> combine_rows(const std::array<const T*, 3>& in, const std::array<T, 3>& weights, const T* from,
                         const T* along, Index rows, T* out);

// The sums a1 b1, a1 b2, a2 b1, a2 b2.
template <class T>
PairSums<4> cross_rows(const T* a, const T* b, Index rows);

// Adds to each pair of `out` the pair of `in` times [c0 c1; c2 c3].
template <class T>
void add_rows(const T* in, const std::array<T, 4>& c, Index rows, T* out);

}  // namespace copse
