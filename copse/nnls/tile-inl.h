// Rows of g and rhs as columns: a tile of 4 vectors of rows, transposed, so that one instruction serves a coordinate of
// many rows. Included once per instruction set (Highway).
#if defined(COPSE_NNLS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_NNLS_TILE_INL_H_
#undef COPSE_NNLS_TILE_INL_H_
#else
#define COPSE_NNLS_TILE_INL_H_
#endif

#include <algorithm>

#include "copse/nnls/tile_gram.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace copse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

// Rows per tile. Element c of row r stands at tile[c * tile_rows + r].
template <class T>
HWY_INLINE Index tile_rows() {
  return 4 * static_cast<Index>(hn::Lanes(Tag<T>()));
}

#if HWY_TARGET != HWY_SCALAR
// A square of 16 bytes a side: rows of `from` become columns of `to`.
HWY_INLINE void transpose_square(const float* from, Index from_stride, float* to, Index to_stride) {
  const hn::FixedTag<float, 4> d;
  const auto r0 = hn::LoadU(d, from);
  const auto r1 = hn::LoadU(d, from + from_stride);
  const auto r2 = hn::LoadU(d, from + 2 * from_stride);
  const auto r3 = hn::LoadU(d, from + 3 * from_stride);
  const auto even_low = hn::InterleaveLower(d, r0, r2);
  const auto odd_low = hn::InterleaveLower(d, r1, r3);
  const auto even_high = hn::InterleaveUpper(d, r0, r2);
  const auto odd_high = hn::InterleaveUpper(d, r1, r3);
  hn::StoreU(hn::InterleaveLower(d, even_low, odd_low), d, to);
  hn::StoreU(hn::InterleaveUpper(d, even_low, odd_low), d, to + to_stride);
  hn::StoreU(hn::InterleaveLower(d, even_high, odd_high), d, to + 2 * to_stride);
  hn::StoreU(hn::InterleaveUpper(d, even_high, odd_high), d, to + 3 * to_stride);
}

HWY_INLINE void transpose_square(const double* from, Index from_stride, double* to, Index to_stride) {
  const hn::FixedTag<double, 2> d;
  const auto r0 = hn::LoadU(d, from);
  const auto r1 = hn::LoadU(d, from + from_stride);
  hn::StoreU(hn::InterleaveLower(d, r0, r1), d, to);
  hn::StoreU(hn::InterleaveUpper(d, r0, r1), d, to + to_stride);
}
#endif

// to = from', with from as rows x cols.
template <class T>
HWY_INLINE void transpose(const T* from, Index rows, Index cols, Index from_stride, T* to, Index to_stride) {
  Index squared_rows = 0;
  Index squared_cols = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr Index side = 16 / sizeof(T);
  squared_rows = rows / side * side;
  squared_cols = cols / side * side;
  for (Index r = 0; r < squared_rows; r += side) {
    for (Index c = 0; c < squared_cols; c += side)
      transpose_square(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride);
  }
#endif
  for (Index r = 0; r < rows; ++r) {
    for (Index c = r < squared_rows ? squared_cols : 0; c < cols; ++c)
      to[c * to_stride + r] = from[r * from_stride + c];
  }
}

// Rows beyond the last are zero: they solve a problem with a zero right-hand side and add nothing to any sum.
template <class T>
HWY_INLINE void load_tile(const T* from, Index rows, Index k, T* tile) {
  const Index height = tile_rows<T>();
  if (rows < height) std::fill_n(tile, k * height, T(0));
  transpose(from, rows, k, k, tile, height);
}

template <class T>
HWY_INLINE void store_tile(const T* tile, Index rows, Index k, T* to) {
  transpose(tile, k, rows, tile_rows<T>(), to, k);
}

// The four vectors of one coordinate.
template <class T>
struct Column {
  hn::Vec<Tag<T>> v0, v1, v2, v3;
};

template <class T>
HWY_INLINE Column<T> load_column(const T* from) {
  const Tag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  return {hn::Load(d, from), hn::Load(d, from + lanes), hn::Load(d, from + 2 * lanes), hn::Load(d, from + 3 * lanes)};
}

template <class T>
HWY_INLINE void store_column(const Column<T>& x, T* to) {
  const Tag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  hn::Store(x.v0, d, to);
  hn::Store(x.v1, d, to + lanes);
  hn::Store(x.v2, d, to + 2 * lanes);
  hn::Store(x.v3, d, to + 3 * lanes);
}

// x - factor * g
template <class T>
HWY_INLINE Column<T> subtract_multiple(const Column<T>& x, T factor, const Column<T>& g) {
  const auto f = hn::Set(Tag<T>(), factor);
  return {hn::NegMulAdd(f, g.v0, x.v0), hn::NegMulAdd(f, g.v1, x.v1), hn::NegMulAdd(f, g.v2, x.v2),
          hn::NegMulAdd(f, g.v3, x.v3)};
}

// Two coordinates at once: 8 independent sums hide the latency of the multiply-add, and each load of g serves two.
//   x -= sum_d row0[d] g_d,   y -= sum_d row1[d] g_d
template <class T>
HWY_INLINE void subtract_products(const T* row0, const T* row1, const T* g, Index k, Column<T>& x, Column<T>& y) {
  const Index height = tile_rows<T>();
  Column<T> a = x;
  Column<T> b = y;
  for (Index d = 0; d < k; ++d, g += height) {
    const Column<T> column = load_column(g);
    a = subtract_multiple(a, row0[d], column);
    b = subtract_multiple(b, row1[d], column);
  }
  x = a;
  y = b;
}

template <class T>
HWY_INLINE double sum(const Column<T>& x) {
  const Tag<T> d;
  const auto all = hn::Add(hn::Add(x.v0, x.v1), hn::Add(x.v2, x.v3));
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all)));
}

// sums + x^2
template <class T>
HWY_INLINE Column<T> add_squares(const Column<T>& sums, const Column<T>& x) {
  return {hn::MulAdd(x.v0, x.v0, sums.v0), hn::MulAdd(x.v1, x.v1, sums.v1), hn::MulAdd(x.v2, x.v2, sums.v2),
          hn::MulAdd(x.v3, x.v3, sums.v3)};
}

template <class T>
HWY_INLINE Column<T> zero_column() {
  const auto zero = hn::Zero(Tag<T>());
  return {zero, zero, zero, zero};
}

// The part of the residual that is minus the projected gradient: all of it where g > 0, else its positive part.
template <class T>
HWY_INLINE hn::Vec<Tag<T>> projected(hn::Vec<Tag<T>> g, hn::Vec<Tag<T>> residual) {
  const auto zero = hn::Zero(Tag<T>());
  return hn::IfThenElse(hn::Gt(g, zero), residual, hn::Max(zero, residual));
}

template <class T>
HWY_INLINE double sum_of_squared_projection(const Column<T>& g, const Column<T>& r) {
  return sum(add_squares<T>(zero_column<T>(), {projected<T>(g.v0, r.v0), projected<T>(g.v1, r.v1),
                                               projected<T>(g.v2, r.v2), projected<T>(g.v3, r.v3)}));
}

// Adds the squared projected gradient of each coordinate to sums.
template <class T>
HWY_INLINE void add_projected_gradient(const TileGram<T>& gram, const T* rhs, const T* g, double* sums) {
  const Index height = tile_rows<T>();
  for (Index c = 0; c < gram.padded; c += 2) {
    Column<T> x = load_column(rhs + c * height);
    Column<T> y = load_column(rhs + (c + 1) * height);
    subtract_products(gram.row(c), gram.row(c + 1), g, gram.padded, x, y);
    sums[c] += sum_of_squared_projection(load_column(g + c * height), x);
    if (c + 1 < gram.k) sums[c + 1] += sum_of_squared_projection(load_column(g + (c + 1) * height), y);
  }
}

}  // namespace copse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
