#include <algorithm>
#include <cassert>

#include "copse/base/parallel.h"
#include "copse/kernels/dispatch-inl.h"
#include "copse/nnls/nnls.h"
#include "copse/nnls/tile_gram.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/nnls/hals.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per instruction set.
#include "copse/nnls/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace copse::HWY_NAMESPACE {

// max(0, g + x * inverse), the change in x.
template <class V>
HWY_INLINE V step(V g, V inverse, V zero, V& x) {
  const V next = hn::Max(zero, hn::MulAdd(x, inverse, g));
  x = hn::Sub(next, g);
  return next;
}

template <class T>
HWY_INLINE Column<T> step(const Column<T>& g, T inverse, Column<T>& x) {
  const Tag<T> d;
  const auto zero = hn::Zero(d);
  const auto factor = hn::Set(d, inverse);
  return {step(g.v0, factor, zero, x.v0), step(g.v1, factor, zero, x.v1), step(g.v2, factor, zero, x.v2),
          step(g.v3, factor, zero, x.v3)};
}

// With r = rhs - gram g at hand for the coordinates c and c + 1:
//   g_c <- max(0, g_c + r_c / gram(c, c)),  r_(c+1) -= gram(c + 1, c) * change of g_c,  then g_(c+1) alike.
// Returns the sum of squared changes, if asked to track it.
template <class T>
HWY_INLINE double sweep_tile(const TileGram<T>& gram, const T* inverse, const T* rhs, T* g, bool track) {
  const Index height = tile_rows<T>();
  Column<T> squares = zero_column<T>();
  for (Index c = 0; c < gram.padded; c += 2) {
    Column<T> x = load_column(rhs + c * height);
    Column<T> y = load_column(rhs + (c + 1) * height);
    subtract_products(gram.row(c), gram.row(c + 1), g, gram.padded, x, y);
    store_column(step(load_column(g + c * height), inverse[c], x), g + c * height);
    y = subtract_multiple(y, gram.row(c + 1)[c], x);
    store_column(step(load_column(g + (c + 1) * height), inverse[c + 1], y), g + (c + 1) * height);
    if (track) squares = add_squares(add_squares(squares, x), y);
  }
  return track ? sum(squares) : 0;
}

template <class T>
HWY_INLINE void sweep_rows(const TileGram<T>& gram, const T* inverse, const HalsOptions& options, const T* rhs, T* g,
                           Index rows) {
  const Index height = tile_rows<T>();
  const Index size = gram.padded * height;
  Buffer<T> buffer(static_cast<std::size_t>(2 * size), T(0));
  T* tile = buffer.data();
  T* tile_rhs = tile + size;
  const bool track = options.sweeps > 1 && options.min_change > 0;
  const double enough = options.min_change * options.min_change;
  for (Index begin = 0; begin < rows; begin += height) {
    const Index count = std::min(height, rows - begin);
    load_tile(g + begin * gram.k, count, gram.k, tile);
    load_tile(rhs + begin * gram.k, count, gram.k, tile_rhs);
    for (Index c = 0; c < gram.k; ++c) {
      if (inverse[c] == T(0)) std::fill_n(tile + c * height, height, T(0));
    }
    double first = 0;
    for (int sweep = 0; sweep < options.sweeps; ++sweep) {
      const double change = sweep_tile(gram, inverse, tile_rhs, tile, track);
      if (sweep == 0) first = change;
      if (track && change <= enough * first) break;
    }
    store_tile(tile, count, gram.k, g + begin * gram.k);
  }
}

void sweep_rows_float(const TileGram<float>& gram, const float* inverse, const HalsOptions& options, const float* rhs,
                      float* g, Index rows) {
  sweep_rows(gram, inverse, options, rhs, g, rows);
}
void sweep_rows_double(const TileGram<double>& gram, const double* inverse, const HalsOptions& options,
                       const double* rhs, double* g, Index rows) {
  sweep_rows(gram, inverse, options, rhs, g, rows);
}

}  // namespace copse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

constexpr Index rows_per_block = 1024;

COPSE_EXPORT(sweep_rows)

}  // namespace

template <class T>
void sweep_hals(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g, const HalsOptions& options) {
  const Index k = gram.rows();
  assert(gram.cols() == k && rhs.cols() == k && g.cols() == k && rhs.rows() == g.rows());
  const TileGram<T> tile_gram(gram);
  Buffer<T> inverse(static_cast<std::size_t>(tile_gram.padded), T(0));
  for (Index c = 0; c < k; ++c) {
    if (gram(c, c) > 0) inverse[static_cast<std::size_t>(c)] = static_cast<T>(1 / gram(c, c));
  }
  const auto sweep_rows = best_sweep_rows<T>();
  parallel_blocks(g.rows(), rows_per_block, [&](Index begin, Index end) {
    sweep_rows(tile_gram, inverse.data(), options, rhs.data() + begin * k, g.data() + begin * k, end - begin);
  });
}

template void sweep_hals(const Matrix<double>&, const Matrix<float>&, Matrix<float>&, const HalsOptions&);
template void sweep_hals(const Matrix<double>&, const Matrix<double>&, Matrix<double>&, const HalsOptions&);

}  // namespace copse
#endif
