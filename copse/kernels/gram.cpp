#include "copse/kernels/gram.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "copse/base/parallel.h"
#include "copse/kernels/dispatch-inl.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/kernels/gram.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After Highway: compiled once per instruction set.
#include "copse/kernels/pad-inl.h"

// From here to HWY_ONCE the file is compiled once per instruction set.
HWY_BEFORE_NAMESPACE();
namespace copse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows added up in T before the sums go on in double: 32 roundings leave a float sum good to 1e-7.
constexpr Index rows_per_sum = 32;
constexpr Index tile_rows = 4;
constexpr int tile_vectors = 3;

// products = the rows a ... a + 3 of P'P from vector column b on, where P holds rows_per_sum packed rows.
template <int vectors, class D, class T = hn::TFromD<D>>
HWY_INLINE void multiply_tile(D d, const T* HWY_RESTRICT packed, Index stride, Index a, Index b,
                              T* HWY_RESTRICT products) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(D()));
  hn::Vec<D> sums[tile_rows][vectors];
#pragma GCC unroll 16
  for (Index r = 0; r < tile_rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) sums[r][v] = hn::Zero(d);
  }
  for (Index i = 0; i < rows_per_sum; ++i) {
    const T* row = packed + i * stride;
    hn::Vec<D> right[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, row + b + v * lanes);
#pragma GCC unroll 16
    for (Index r = 0; r < tile_rows; ++r) {
      const auto left = hn::Set(d, row[a + r]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
    }
  }
#pragma GCC unroll 16
  for (Index r = 0; r < tile_rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) hn::StoreU(sums[r][v], d, products + (a + r) * stride + b + v * lanes);
  }
}

template <class D, class T>
HWY_INLINE auto load_as_double(D d, const T* values) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return hn::LoadU(d, values);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, decltype(d)>(), values));
  }
}

// result (k x k) = F'F, of which only the part on and above the diagonal is written.
template <class D, class T = hn::TFromD<D>>
void gram_of_rows(D d, const T* f, Index rows, Index k, GramScratch<T>& scratch, double* result) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(D()));
  constexpr Index unit = std::max(tile_rows, lanes);
  const hn::CappedTag<double, unit> dd;
  constexpr Index double_lanes = static_cast<Index>(hn::MaxLanes(hn::CappedTag<double, unit>()));
  const Index stride = (k + unit - 1) / unit * unit;
  scratch.packed.assign(static_cast<std::size_t>(rows_per_sum * stride), T(0));
  scratch.products.resize(static_cast<std::size_t>(stride * stride));
  scratch.sums.assign(static_cast<std::size_t>(stride * stride), 0.0);
  T* packed = scratch.packed.data();
  T* products = scratch.products.data();
  double* sums = scratch.sums.data();
  for (Index begin = 0; begin < rows; begin += rows_per_sum) {
    const Index count = std::min(rows_per_sum, rows - begin);
    pad_rows(d, f + begin * k, count, k, stride, packed);
    std::fill(packed + count * stride, packed + rows_per_sum * stride, T(0));
    for (Index a = 0; a < k; a += tile_rows) {
      const Index diagonal = a / lanes * lanes;
      Index b = diagonal;
      for (; b + tile_vectors * lanes <= stride; b += tile_vectors * lanes)
        multiply_tile<tile_vectors>(d, packed, stride, a, b, products);
      if (b + 2 * lanes <= stride) {
        multiply_tile<2>(d, packed, stride, a, b, products);
      } else if (b < stride) {
        multiply_tile<1>(d, packed, stride, a, b, products);
      }
      for (Index r = a; r < a + tile_rows; ++r) {
        for (Index e = r * stride + diagonal; e < (r + 1) * stride; e += double_lanes)
          hn::StoreU(hn::Add(hn::LoadU(dd, sums + e), load_as_double(dd, products + e)), dd, sums + e);
      }
    }
  }
  for (Index a = 0; a < k; ++a) std::copy(sums + a * stride + a, sums + a * stride + k, result + a * k + a);
}

// The same for k = 2, straight from memory: v holds pairs (x, y), so that v * v gives x x and y y, and v times the
// vector that starts one entry later gives x y in its even lanes.
template <class T>
void gram_of_pairs(const T* f, Index rows, double* result) {
  const hn::ScalableTag<double> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<double>()));
  double xx = 0, xy = 0, yy = 0;
  Index e = 0;
  if constexpr (lanes >= 2) {
    constexpr int copies = 4;
    hn::Vec<decltype(d)> squares[copies], mixed[copies];
#pragma GCC unroll 16
    for (int u = 0; u < copies; ++u) squares[u] = mixed[u] = hn::Zero(d);
    for (; e + copies * lanes < 2 * rows; e += copies * lanes) {
#pragma GCC unroll 16
      for (int u = 0; u < copies; ++u) {
        const auto pairs = load_as_double(d, f + e + u * lanes);
        squares[u] = hn::MulAdd(pairs, pairs, squares[u]);
        mixed[u] = hn::MulAdd(pairs, load_as_double(d, f + e + u * lanes + 1), mixed[u]);
      }
    }
    HWY_ALIGN double lane_sums[2][lanes];
    hn::Store(hn::Add(hn::Add(squares[0], squares[1]), hn::Add(squares[2], squares[3])), d, lane_sums[0]);
    hn::Store(hn::Add(hn::Add(mixed[0], mixed[1]), hn::Add(mixed[2], mixed[3])), d, lane_sums[1]);
    for (Index v = 0; v < lanes; v += 2) {
      xx += lane_sums[0][v];
      yy += lane_sums[0][v + 1];
      xy += lane_sums[1][v];
    }
  }
  for (; e < 2 * rows; e += 2) {
    const auto x = static_cast<double>(f[e]), y = static_cast<double>(f[e + 1]);
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  result[0] = xx;
  result[1] = xy;
  result[3] = yy;
}

template <class T>
void gram_of(const T* f, Index rows, Index k, GramScratch<T>& scratch, double* result) {
  if (k == 2) return gram_of_pairs(f, rows, result);
  // The shortest vector that a row fits in: the rest of a longer one would be multiplied for nothing.
  if (k <= 4) return gram_of_rows(hn::CappedTag<T, 4>(), f, rows, k, scratch, result);
  if (k <= 8) return gram_of_rows(hn::CappedTag<T, 8>(), f, rows, k, scratch, result);
  gram_of_rows(hn::ScalableTag<T>(), f, rows, k, scratch, result);
}

void gram_float(const float* f, Index rows, Index k, GramScratch<float>& scratch, double* result) {
  gram_of(f, rows, k, scratch, result);
}
void gram_double(const double* f, Index rows, Index k, GramScratch<double>& scratch, double* result) {
  gram_of(f, rows, k, scratch, result);
}

template <class T>
double dot_of(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, Index count) {
  const hn::ScalableTag<double> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<double>()));
  constexpr int copies = 4;
  hn::Vec<decltype(d)> sums[copies];
  for (auto& sum : sums) sum = hn::Zero(d);
  Index e = 0;
  for (; e + copies * lanes <= count; e += copies * lanes) {
#pragma GCC unroll 16
    for (int u = 0; u < copies; ++u)
      sums[u] = hn::MulAdd(load_as_double(d, a + e + u * lanes), load_as_double(d, b + e + u * lanes), sums[u]);
  }
  double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
  for (; e < count; ++e) total += static_cast<double>(a[e]) * static_cast<double>(b[e]);
  return total;
}

double dot_float(const float* a, const float* b, Index count) { return dot_of(a, b, count); }
double dot_double(const double* a, const double* b, Index count) { return dot_of(a, b, count); }

}  // namespace HWY_NAMESPACE
}  // namespace copse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

COPSE_EXPORT(gram)
COPSE_EXPORT(dot)

struct Square {
  Matrix<double> sums;
  Square& operator+=(const Square& other) {
    for (std::size_t e = 0; e < sums.values().size(); ++e) sums.values()[e] += other.sums.values()[e];
    return *this;
  }
};

template <class T>
double sum_of_products(std::span<const T> a, std::span<const T> b) {
  const auto dot_of = best_dot<T>();
  return sum_blocks(static_cast<Index>(a.size()), Index(16384), 0.0,
                    [&](Index begin, Index end) { return dot_of(a.data() + begin, b.data() + begin, end - begin); });
}

}  // namespace

template <class T>
Matrix<double> gram(const Matrix<T>& f) {
  const Index k = f.cols();
  const auto gram_of = best_gram<T>();
  // Enough rows that adding up the k x k sums of the blocks costs little beside the products.
  const Index rows_per_block = k <= 8 ? 8192 : std::max<Index>(1024, 16 * k);
  const Square total = sum_blocks(f.rows(), rows_per_block, Square{Matrix<double>(k, k)}, [&](Index begin, Index end) {
    Square part{Matrix<double>(k, k)};
    GramScratch<T> scratch;
    gram_of(f.data() + begin * k, end - begin, k, scratch, part.sums.data());
    return part;
  });
  Matrix<double> result(k, k);
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < k; ++b) result(a, b) = total.sums(std::min(a, b), std::max(a, b));
  }
  return result;
}

template <class T>
void gram_of_some(const Matrix<T>& f, std::span<const Index> rows, GramScratch<T>& scratch, double* result) {
  const Index k = f.cols();
  scratch.gathered.resize(rows.size() * static_cast<std::size_t>(k));
  T* next = scratch.gathered.data();
  for (const Index row : rows) next = std::copy_n(f.row(row).data(), k, next);
  best_gram<T>()(scratch.gathered.data(), static_cast<Index>(rows.size()), k, scratch, result);
}

template <class T>
double dot(const Matrix<T>& a, const Matrix<T>& b) {
  assert(a.rows() == b.rows() && a.cols() == b.cols());
  return sum_of_products(a.values(), b.values());
}

template <class T>
double squared_norm(std::span<const T> values) {
  return sum_of_products(values, values);
}

template <class T>
double squared_norm_over(std::span<const T> values, int exponent) {
  if (exponent == 0) return squared_norm(values);
  // 2^-exponent in two factors that are numbers, and the products as exact as they can be.
  const double half = std::ldexp(1.0, -exponent / 2), other_half = std::ldexp(1.0, -exponent - -exponent / 2);
  return sum_blocks(static_cast<Index>(values.size()), Index(16384), 0.0, [&](Index begin, Index end) {
    double sum = 0;
    for (Index e = begin; e < end; ++e) {
      const double value = static_cast<double>(values[static_cast<std::size_t>(e)]) * half * other_half;
      sum += value * value;
    }
    return sum;
  });
}

template Matrix<double> gram(const Matrix<float>&);
template Matrix<double> gram(const Matrix<double>&);
template void gram_of_some(const Matrix<float>&, std::span<const Index>, GramScratch<float>&, double*);
template void gram_of_some(const Matrix<double>&, std::span<const Index>, GramScratch<double>&, double*);
template double dot(const Matrix<float>&, const Matrix<float>&);
template double dot(const Matrix<double>&, const Matrix<double>&);
template double squared_norm(std::span<const float>);
template double squared_norm(std::span<const double>);
template double squared_norm_over(std::span<const float>, int);
template double squared_norm_over(std::span<const double>, int);

}  // namespace copse
#endif  // HWY_ONCE
