#include <algorithm>
#include <cassert>
#include <valarray>

#include "copse/base/parallel.h"
#include "copse/kernels/dispatch-inl.h"
#include "copse/nnls/nnls.h"
#include "copse/nnls/tile_gram.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/nnls/kkt.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per instruction set.
#include "copse/nnls/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace copse::HWY_NAMESPACE {

template <class T>
HWY_INLINE void add_rows(const TileGram<T>& gram, const T* rhs, const T* g, Index rows, double* sums) {
  const Index height = tile_rows<T>();
  Buffer<T> tile(static_cast<std::size_t>(gram.padded * height), T(0));
  Buffer<T> tile_rhs(tile.size(), T(0));
  for (Index begin = 0; begin < rows; begin += height) {
    const Index count = std::min(height, rows - begin);
    load_tile(g + begin * gram.k, count, gram.k, tile.data());
    load_tile(rhs + begin * gram.k, count, gram.k, tile_rhs.data());
    add_projected_gradient(gram, tile_rhs.data(), tile.data(), sums);
  }
}

void add_rows_float(const TileGram<float>& gram, const float* rhs, const float* g, Index rows, double* sums) {
  add_rows(gram, rhs, g, rows, sums);
}
void add_rows_double(const TileGram<double>& gram, const double* rhs, const double* g, Index rows, double* sums) {
  add_rows(gram, rhs, g, rows, sums);
}

}  // namespace copse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

constexpr Index rows_per_block = 1024;

COPSE_EXPORT(add_rows)

}  // namespace

template <class T>
std::vector<double> squared_projected_gradient(const Matrix<double>& gram, const Matrix<T>& rhs, const Matrix<T>& g) {
  const Index k = gram.rows();
  assert(gram.cols() == k && rhs.cols() == k && g.cols() == k && rhs.rows() == g.rows());
  const TileGram<T> tile_gram(gram);
  const auto add_rows = best_add_rows<T>();
  const std::valarray<double> zero(0.0, static_cast<std::size_t>(k));
  const auto sums = sum_blocks(g.rows(), rows_per_block, zero, [&](Index begin, Index end) {
    std::valarray<double> part = zero;
    add_rows(tile_gram, rhs.data() + begin * k, g.data() + begin * k, end - begin, &part[0]);
    return part;
  });
  return {std::begin(sums), std::end(sums)};
}

template std::vector<double> squared_projected_gradient(const Matrix<double>&, const Matrix<float>&,
                                                        const Matrix<float>&);
template std::vector<double> squared_projected_gradient(const Matrix<double>&, const Matrix<double>&,
                                                        const Matrix<double>&);

}  // namespace copse
#endif
