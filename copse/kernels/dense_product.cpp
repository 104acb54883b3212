#include "copse/kernels/dense_product.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/kernels/dispatch-inl.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/kernels/dense_product.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After Highway: compiled once per instruction set.
#include "copse/kernels/pad-inl.h"

// From here to HWY_ONCE the file is compiled once per instruction set.
HWY_BEFORE_NAMESPACE();
namespace copse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sums (rows x vectors, `stride` apart) += A B over `inner` columns of A and rows of B.
template <int rows, int vectors, class T>
HWY_INLINE void multiply_tile(const T* HWY_RESTRICT a, Index row_step, Index column_step, Index inner,
                              const T* HWY_RESTRICT b, Index stride, T* HWY_RESTRICT sums) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  hn::Vec<decltype(d)> tile[rows][vectors];
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) tile[r][v] = hn::LoadU(d, sums + r * stride + v * lanes);
  }
  for (Index p = 0; p < inner; ++p) {
    hn::Vec<decltype(d)> right[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + p * stride + v * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      const auto left = hn::Set(d, a[r * row_step + p * column_step]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) tile[r][v] = hn::MulAdd(left, right[v], tile[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) hn::StoreU(tile[r][v], d, sums + r * stride + v * lanes);
  }
}

// All rows of a, in tiles whose 12 sums are enough to hide how long one addition takes and fit in 16 registers.
template <int vectors, class T>
HWY_INLINE void multiply_columns(const T* a, Index rows, Index row_step, Index column_step, Index inner, const T* b,
                                 Index stride, T* sums) {
  constexpr Index tile_rows = 12 / vectors;
  Index i = 0;
  for (; i + tile_rows <= rows; i += tile_rows)
    multiply_tile<tile_rows, vectors>(a + i * row_step, row_step, column_step, inner, b, stride, sums + i * stride);
  for (; i + 2 <= rows; i += 2)
    multiply_tile<2, vectors>(a + i * row_step, row_step, column_step, inner, b, stride, sums + i * stride);
  if (i < rows) multiply_tile<1, vectors>(a + i * row_step, row_step, column_step, inner, b, stride, sums + i * stride);
}

// Rows of b and sums are `stride` apart and padded, so that k may be rounded up to whole vectors.
template <class T>
void multiply(const T* a, Index rows, Index row_step, Index column_step, Index inner, const T* b, Index k, Index stride,
              T* sums) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  Index c = 0;
  for (Index left = (k + lanes - 1) / lanes; left > 0;) {
    // Three vectors at once, and 2 + 2 instead of 3 + 1.
    const Index vectors = left == 4 ? 2 : std::min<Index>(left, 3);
    if (vectors == 3) {
      multiply_columns<3>(a, rows, row_step, column_step, inner, b + c, stride, sums + c);
    } else if (vectors == 2) {
      multiply_columns<2>(a, rows, row_step, column_step, inner, b + c, stride, sums + c);
    } else {
      multiply_columns<1>(a, rows, row_step, column_step, inner, b + c, stride, sums + c);
    }
    c += vectors * lanes;
    left -= vectors;
  }
}

void multiply_float(const float* a, Index rows, Index row_step, Index column_step, Index inner, const float* b, Index k,
                    Index stride, float* sums) {
  multiply(a, rows, row_step, column_step, inner, b, k, stride, sums);
}
void multiply_double(const double* a, Index rows, Index row_step, Index column_step, Index inner, const double* b,
                     Index k, Index stride, double* sums) {
  multiply(a, rows, row_step, column_step, inner, b, k, stride, sums);
}

void pad_float(const float* from, Index rows, Index k, Index stride, float* to) {
  pad_rows(hn::ScalableTag<float>(), from, rows, k, stride, to);
}
void pad_double(const double* from, Index rows, Index k, Index stride, double* to) {
  pad_rows(hn::ScalableTag<double>(), from, rows, k, stride, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace copse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

COPSE_EXPORT(multiply)
COPSE_EXPORT(pad)

// Rows of B from multiples of a cache line on; between k, rounded up to whole vectors, and `stride` nothing is written.
template <class T>
struct Padded {
  Buffer<T> values;
  Index rows = 0, stride = 0;
  const T* row(Index p) const { return values.data() + p * stride; }
};

// For an A stored by columns: a block of A is read along its columns, the next one while this one is multiplied. The
// columns are split into pieces, whose products are added up; how many depends on the sizes alone.
template <class T>
void times_by_columns(const StridedView<T>& a, const Padded<T>& padded, Index k, Matrix<T>& out) {
  const auto multiply = best_multiply<T>();
  constexpr Index row_block = 240, row_step = 48, inner_block = 32;  // the rows fill whole tiles
  constexpr Index least_piece = 512, most_pieces = 16, most_sums = Index{1} << 22, line = 64 / sizeof(T);
  const Index inner = padded.rows, stride = padded.stride;
  const Index fit = std::max<Index>(1, most_sums / std::max<Index>(1, a.rows * k));
  const Index pieces = std::clamp<Index>(inner / least_piece, 1, std::min(most_pieces, fit));
  const Index blocks = (a.rows + row_block - 1) / row_block;
  std::vector<Matrix<T>> products;
  for (Index piece = 0; piece < pieces; ++piece) products.emplace_back(a.rows, k);
  parallel_blocks(pieces * blocks, 1, [&](Index task, Index) {
    const Index piece = task / blocks, begin = task % blocks * row_block;
    const Index rows = std::min(row_block, a.rows - begin);
    const Index first = inner * piece / pieces, last = inner * (piece + 1) / pieces;
    Matrix<T> sums(rows, stride);
    for (Index p = first; p < last; p += inner_block) {
      const Index count = std::min(inner_block, last - p);
      const T* next = a.values + begin + (p + count) * a.column_step;
      const Index next_count = std::min(inner_block, last - p - count);
      for (Index r = 0; r < rows; r += row_step) {
        // A part of the next block, line by line.
        const Index steps = (rows + row_step - 1) / row_step, step = r / row_step;
        for (Index q = next_count * step / steps; q < next_count * (step + 1) / steps; ++q) {
          for (Index i = 0; i < rows; i += line) __builtin_prefetch(next + q * a.column_step + i);
        }
        multiply(a.values + begin + r + p * a.column_step, std::min(row_step, rows - r), 1, a.column_step, count,
                 padded.row(p), k, stride, sums.row(r).data());
      }
    }
    for (Index i = 0; i < rows; ++i) std::copy_n(sums.row(i).data(), k, products[piece].row(begin + i).data());
  });
  parallel_blocks(a.rows, 4096, [&](Index begin, Index end) {
    for (Index piece = 1; piece < pieces; ++piece) {
      const T* part = products[piece].row(begin).data();
      T* sum = products[0].row(begin).data();
      for (Index e = 0; e < (end - begin) * k; ++e) sum[e] += part[e];
    }
  });
  out = std::move(products[0]);
}

}  // namespace

template <class T>
void times(const StridedView<T>& a, const Matrix<T>& b, Matrix<T>& out) {
  const Index k = b.cols();
  const auto multiply = best_multiply<T>();
  constexpr Index longest_vector = 16;
  const Index stride = (k + longest_vector - 1) / longest_vector * longest_vector;
  Padded<T> padded{.values = {}, .rows = b.rows(), .stride = stride};
  padded.values.resize(static_cast<std::size_t>(b.rows() * stride));
  const auto pad = best_pad<T>();
  parallel_blocks(b.rows(), 4096, [&](Index begin, Index end) {
    pad(b.data() + begin * k, end - begin, k, stride, padded.values.data() + begin * stride);
  });
  if (a.row_step == 1 && a.column_step > 1) return times_by_columns(a, padded, k, out);
  out.reshape(a.rows, k);
  // A block of A and the part of B that it meets stay in the second-level cache.
  constexpr Index inner_block = 256;
  const Index row_block = a.rows >= 2048 ? 96 : 24;
  parallel_blocks(a.rows, row_block, [&](Index begin, Index end) {
    Matrix<T> sums(end - begin, stride);
    for (Index p = 0; p < b.rows(); p += inner_block) {
      multiply(a.values + begin * a.row_step + p * a.column_step, end - begin, a.row_step, a.column_step,
               std::min(inner_block, b.rows() - p), padded.row(p), k, stride, sums.data());
    }
    for (Index i = begin; i < end; ++i) std::copy_n(sums.row(i - begin).data(), k, out.row(i).data());
  });
}

template void times(const StridedView<float>&, const Matrix<float>&, Matrix<float>&);
template void times(const StridedView<double>&, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
#endif  // HWY_ONCE
