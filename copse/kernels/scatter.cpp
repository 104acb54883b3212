#include "copse/kernels/scatter.h"

#include <algorithm>
#include <cassert>
#include <type_traits>

#include "copse/kernels/dispatch-inl.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/kernels/scatter.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// From here to HWY_ONCE the file is compiled once per instruction set.
HWY_BEFORE_NAMESPACE();
namespace copse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Some neighbouring columns of the sum: `vectors` vectors of 32 bytes, or what this machine has of them.
template <int vectors, class D, class T = hn::TFromD<D>>
void scatter_vectors(D d, const Index* HWY_RESTRICT offsets, Index columns, const RowIndex* HWY_RESTRICT indices,
                     const T* HWY_RESTRICT values, const T* HWY_RESTRICT h, Index stride, T* HWY_RESTRICT sums) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(D()));
  constexpr Index ahead = 16;
  constexpr Index line = 64 / sizeof(T);
  const Index last_entry = offsets[columns] - 1;
  for (Index j = 0; j < columns; ++j) {
    hn::Vec<D> row[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) row[v] = hn::LoadU(d, h + j * stride + v * lanes);
    for (Index p = offsets[j]; p < offsets[j + 1]; ++p) {
      const T* later = sums + static_cast<Index>(indices[std::min(p + ahead, last_entry)]) * stride;
#pragma GCC unroll 16
      for (Index c = 0; c < vectors * lanes; c += line) hwy::Prefetch(later + c);
      T* sum = sums + static_cast<Index>(indices[p]) * stride;
      const auto value = hn::Set(d, values[p]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v)
        hn::StoreU(hn::MulAdd(value, row[v], hn::LoadU(d, sum + v * lanes)), d, sum + v * lanes);
    }
  }
}

// As many passes over the entries as the registers ask for.
template <class T>
void scatter(const Index* offsets, Index columns, const RowIndex* indices, const T* values, const T* h, Index stride,
             T* sums) {
  const hn::CappedTag<T, 32 / sizeof(T)> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(d));
  Index done = 0;
  while (done < stride) {
    const Index left = (stride - done) / lanes;
    const auto pass = [&](auto number) HWY_ATTR {
      scatter_vectors<number>(d, offsets, columns, indices, values, h + done, stride, sums + done);
      done += number * lanes;
    };
    if (left >= 8) {
      pass(std::integral_constant<int, 8>());
    } else if (left >= 4) {
      pass(std::integral_constant<int, 4>());
    } else if (left >= 3) {
      pass(std::integral_constant<int, 3>());
    } else if (left >= 2) {
      pass(std::integral_constant<int, 2>());
    } else {
      pass(std::integral_constant<int, 1>());
    }
  }
}

void scatter_float(const Index* offsets, Index columns, const RowIndex* indices, const float* values, const float* h,
                   Index stride, float* sums) {
  scatter(offsets, columns, indices, values, h, stride, sums);
}
void scatter_double(const Index* offsets, Index columns, const RowIndex* indices, const double* values, const double* h,
                    Index stride, double* sums) {
  scatter(offsets, columns, indices, values, h, stride, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace copse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

COPSE_EXPORT(scatter)

// Whole vectors of 32 bytes.
template <class T>
Index stride_of(Index k) {
  constexpr Index lanes = 32 / sizeof(T);
  return (k + lanes - 1) / lanes * lanes;
}

}  // namespace

template <class T>
ScatteredProduct<T>::ScatteredProduct(Index rows, Index k)
    : k_(k), stride_(stride_of<T>(k)), sums_(static_cast<std::size_t>(rows * stride_), T(0)) {}

template <class T>
void ScatteredProduct<T>::add(const SparseView<T>& x, const Matrix<T>& h) {
  assert(h.rows() == x.cols && h.cols() == k_);
  if (x.cols == 0 || k_ == 0 || x.nonzeros() == 0) return;
  const T* rows = h.data();
  if (stride_ != k_) {
    padded_.resize(static_cast<std::size_t>(x.cols * stride_));
    for (Index j = 0; j < x.cols; ++j) {
      T* to = std::copy_n(h.data() + j * k_, k_, padded_.data() + j * stride_);
      std::fill_n(to, stride_ - k_, T(0));
    }
    rows = padded_.data();
  }
  best_scatter<T>()(x.offsets.data(), x.cols, x.indices.data(), x.values.data(), rows, stride_, sums_.data());
}

template <class T>
double ScatteredProduct<T>::bytes(Index rows, Index k) {
  return static_cast<double>(rows) * static_cast<double>(stride_of<T>(k) * static_cast<Index>(sizeof(T)));
}

template class ScatteredProduct<float>;
template class ScatteredProduct<double>;

}  // namespace copse
#endif  // HWY_ONCE
