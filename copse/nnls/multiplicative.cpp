#include <algorithm>
#include <cassert>

#include "copse/base/parallel.h"
#include "copse/kernels/dispatch-inl.h"
#include "copse/nnls/nnls.h"
#include "copse/nnls/tile_gram.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/nnls/multiplicative.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per instruction set.
#include "copse/nnls/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace copse::HWY_NAMESPACE {

// g * max(0, rhs) / product where that is a number, else 0; `negative` is minus the product.
template <class T>
HWY_INLINE hn::Vec<Tag<T>> ratio(hn::Vec<Tag<T>> g, hn::Vec<Tag<T>> rhs, hn::Vec<Tag<T>> negative) {
  const auto zero = hn::Zero(Tag<T>());
  const auto above = hn::Mul(g, hn::Max(zero, rhs));
  return hn::IfThenElseZero(hn::Lt(negative, zero), hn::Div(above, hn::Neg(negative)));
}

template <class T>
HWY_INLINE Column<T> ratio(const T* g, const T* rhs, const Column<T>& negative) {
  const Column<T> x = load_column(g);
  const Column<T> y = load_column(rhs);
  return {ratio<T>(x.v0, y.v0, negative.v0), ratio<T>(x.v1, y.v1, negative.v1), ratio<T>(x.v2, y.v2, negative.v2),
          ratio<T>(x.v3, y.v3, negative.v3)};
}

template <class T>
HWY_INLINE void update_rows(const TileGram<T>& gram, const T* rhs, T* g, Index rows) {
  const Index height = tile_rows<T>();
  Buffer<T> tile(static_cast<std::size_t>(gram.padded * height), T(0));
  Buffer<T> tile_rhs(tile.size(), T(0));
  Buffer<T> next(tile.size());
  for (Index begin = 0; begin < rows; begin += height) {
    const Index count = std::min(height, rows - begin);
    load_tile(g + begin * gram.k, count, gram.k, tile.data());
    load_tile(rhs + begin * gram.k, count, gram.k, tile_rhs.data());
    for (Index c = 0; c < gram.padded; c += 2) {
      Column<T> x = zero_column<T>();
      Column<T> y = zero_column<T>();
      subtract_products(gram.row(c), gram.row(c + 1), tile.data(), gram.padded, x, y);
      const Index here = c * height;
      const Index below = here + height;
      store_column(ratio(tile.data() + here, tile_rhs.data() + here, x), next.data() + here);
      store_column(ratio(tile.data() + below, tile_rhs.data() + below, y), next.data() + below);
    }
    store_tile(next.data(), count, gram.k, g + begin * gram.k);
  }
}

void update_rows_float(const TileGram<float>& gram, const float* rhs, float* g, Index rows) {
  update_rows(gram, rhs, g, rows);
}
void update_rows_double(const TileGram<double>& gram, const double* rhs, double* g, Index rows) {
  update_rows(gram, rhs, g, rows);
}

}  // namespace copse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

constexpr Index rows_per_block = 1024;

COPSE_EXPORT(update_rows)

}  // namespace

template <class T>
void update_multiplicative(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g) {
  const Index k = gram.rows();
  assert(gram.cols() == k && rhs.cols() == k && g.cols() == k && rhs.rows() == g.rows());
  const TileGram<T> tile_gram(gram);
  const auto update_rows = best_update_rows<T>();
  parallel_blocks(g.rows(), rows_per_block, [&](Index begin, Index end) {
    update_rows(tile_gram, rhs.data() + begin * k, g.data() + begin * k, end - begin);
  });
}

template void update_multiplicative(const Matrix<double>&, const Matrix<float>&, Matrix<float>&);
template void update_multiplicative(const Matrix<double>&, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
#endif
