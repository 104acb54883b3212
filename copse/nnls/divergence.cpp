#include "copse/nnls/divergence.h"

#include <algorithm>
#include <cmath>

#include "copse/base/buffer.h"
#include "copse/kernels/dispatch-inl.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/nnls/divergence.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format off: behind foreach_target.h, which includes this file once per instruction set
#include "hwy/contrib/math/math-inl.h"
// clang-format on

#ifndef COPSE_NNLS_DIVERGENCE_ITEM
#define COPSE_NNLS_DIVERGENCE_ITEM
namespace copse {
namespace {

// The features of one item, padded to whole vectors by entries that add nothing: x = 0, b = 0, y = 1.
template <class T>
struct ItemBuffers {
  Index padded = 0;
  Buffer<T> b;  // k rows of `padded` entries: column c of the item's rows of B
  Buffer<T> x;
  Buffer<T> y;  // b_i'g
};

}  // namespace
}  // namespace copse
#endif

// From here to HWY_ONCE the file is compiled once per instruction set.
HWY_BEFORE_NAMESPACE();
namespace copse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// y += step b, not below the floor.
template <class T>
HWY_INLINE void move_along(const T* HWY_RESTRICT b, T step, T floor, Index count, T* HWY_RESTRICT y) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, step);
  const auto least = hn::Set(d, floor);
  for (Index i = 0; i < count; i += static_cast<Index>(hn::Lanes(d)))
    hn::StoreU(hn::Max(least, hn::MulAdd(factor, hn::LoadU(d, b + i), hn::LoadU(d, y + i))), d, y + i);
}

template <class T>
struct Slope {
  T first;   // sum b x / y
  T second;  // sum b^2 x / y^2
};

// At y + step b.
template <class T>
HWY_INLINE Slope<T> slope_of(const T* HWY_RESTRICT b, const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, Index count,
                             T step, T floor) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, step);
  const auto least = hn::Set(d, floor);
  auto first = hn::Zero(d), second = hn::Zero(d);
  for (Index i = 0; i < count; i += static_cast<Index>(hn::Lanes(d))) {
    const auto part = hn::LoadU(d, b + i);
    const auto share = hn::Div(part, hn::Max(least, hn::MulAdd(factor, part, hn::LoadU(d, y + i))));
    const auto weighted = hn::Mul(share, hn::LoadU(d, x + i));
    first = hn::Add(first, weighted);
    second = hn::MulAdd(share, weighted, second);
  }
  return {hn::GetLane(hn::SumOfLanes(d, first)), hn::GetLane(hn::SumOfLanes(d, second))};
}

// One coordinate, the others fixed. Its slope f'(t) = s - sum b x / (y + (t - g) b) rises and is concave in t, so that
// a point between g and the root of f' lowers f.
//   f'(g) < 0: Newton's step for f' ends before the root.
//   f'(g) > 0: t f'(t) is convex, with the same root t > 0, so that Newton's step for it ends before that: g^2 f'' /
//   (f' + g f''). There is no such root, and 0 is the minimum, if f'(0) >= 0. As f' is concave, f'(0) <= f'(g) - g
//   f''(g), and only where that is not negative f'(0) must be looked at.
template <class T>
HWY_INLINE double update_coordinate(const T* b, const T* x, T* y, Index count, T sum, T floor, T& g) {
  const Slope<T> here = slope_of(b, x, y, count, T(0), floor);
  const T slope = sum - here.first;
  if (slope == 0 || (slope > 0 && g == 0)) return 0;
  T next = 0;
  if (slope < 0) {
    next = g - slope / here.second;
  } else if (slope < g * here.second || slope_of(b, x, y, count, -g, floor).first > sum) {
    next = g * (g * here.second / (slope + g * here.second));
  }
  move_along(b, next - g, floor, count, y);
  const double decrease = std::abs(static_cast<double>(slope) * static_cast<double>(next - g));
  g = next;
  return decrease;
}

template <class T>
HWY_INLINE void product(const ItemBuffers<T>& item, Index k, const T* g, T floor, T* y) {
  std::fill_n(y, item.padded, T(0));
  for (Index c = 0; c < k; ++c) {
    if (g[c] != T(0)) move_along(item.b.data() + c * item.padded, g[c], T(0), item.padded, y);
  }
  for (Index i = 0; i < item.padded; ++i) y[i] = std::max(y[i], floor);
}

// sum x log(x / y) over the entries.
template <class T>
HWY_INLINE double logs_of(const ItemBuffers<T>& item) {
  const hn::ScalableTag<T> d;
  const auto one = hn::Set(d, T(1));
  double logs = 0;
  for (Index i = 0; i < item.padded; i += static_cast<Index>(hn::Lanes(d))) {
    const auto x = hn::LoadU(d, item.x.data() + i);
    const auto ratio = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Div(x, hn::LoadU(d, item.y.data() + i)), one);
    logs += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Mul(x, hn::Log(d, ratio)))));
  }
  return logs;
}

template <class T>
HWY_INLINE DivergenceSums update_item(bool multiplicative, int rounds, Index k, const double* sums, T floor,
                                      ItemBuffers<T>& item, T* g) {
  T* y = item.y.data();
  product(item, k, g, floor, y);
  double decrease = 0;
  for (int round = 0; round < rounds; ++round) {
    for (Index c = 0; c < k; ++c) {
      const T* b = item.b.data() + c * item.padded;
      const T sum = static_cast<T>(sums[c]);
      if (!(sum > 0)) {
        g[c] = 0;
      } else if (multiplicative) {
        const T next = g[c] * (slope_of(b, item.x.data(), y, item.padded, T(0), floor).first / sum);
        decrease += std::abs(static_cast<double>(sum) * static_cast<double>(next - g[c]));
        g[c] = next;
      } else {
        decrease += update_coordinate(b, item.x.data(), y, item.padded, sum, floor, g[c]);
      }
    }
    if (multiplicative) product(item, k, g, floor, y);
  }
  return {.logs = logs_of(item), .decrease = decrease};
}

DivergenceSums update_float(bool multiplicative, int rounds, Index k, const double* sums, float floor,
                            ItemBuffers<float>& item, float* g) {
  return update_item(multiplicative, rounds, k, sums, floor, item, g);
}
DivergenceSums update_double(bool multiplicative, int rounds, Index k, const double* sums, double floor,
                             ItemBuffers<double>& item, double* g) {
  return update_item(multiplicative, rounds, k, sums, floor, item, g);
}

}  // namespace HWY_NAMESPACE
}  // namespace copse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

COPSE_EXPORT(update)

constexpr Index padding = 16;  // the longest vector of float

}  // namespace

template <class T>
DivergenceSums update_divergence(DivergenceMethod method, int rounds, const SparseView<T>& x, const Matrix<T>& b,
                                 std::span<const double> sums, double floor, T* g) {
  const Index k = b.cols();
  const auto update = best_update<T>();
  ItemBuffers<T> item;
  DivergenceSums total;
  for (Index j = 0; j < x.cols; ++j, g += k) {
    const Index begin = x.offsets[j];
    const Index count = x.offsets[j + 1] - begin;
    if (count == 0) {
      std::fill_n(g, k, T(0));
      continue;
    }
    item.padded = (count + padding - 1) / padding * padding;
    item.b.assign(static_cast<std::size_t>(k * item.padded), T(0));
    item.x.assign(static_cast<std::size_t>(item.padded), T(0));
    item.y.resize(static_cast<std::size_t>(item.padded));
    for (Index e = 0; e < count; ++e) {
      const T* row = b.row(x.indices[begin + e]).data();
      for (Index c = 0; c < k; ++c) item.b[c * item.padded + e] = row[c];
      item.x[e] = x.values[begin + e];
    }
    total += update(method == DivergenceMethod::multiplicative, rounds, k, sums.data(), static_cast<T>(floor), item, g);
  }
  return total;
}

template DivergenceSums update_divergence(DivergenceMethod, int, const SparseView<float>&, const Matrix<float>&,
                                          std::span<const double>, double, float*);
template DivergenceSums update_divergence(DivergenceMethod, int, const SparseView<double>&, const Matrix<double>&,
                                          std::span<const double>, double, double*);

}  // namespace copse
#endif  // HWY_ONCE
