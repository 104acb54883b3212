#include "copse/kernels/sparse_product.h"

#include <algorithm>
#include <cassert>
#include <type_traits>
#include <vector>

#include "copse/base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/kernels/sparse_product.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// From here to HWY_ONCE the file is compiled once per instruction set.
HWY_BEFORE_NAMESPACE();
namespace copse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of out for some columns: `vectors` vectors at `f` and `out`, whose rows are k apart. The last vector starts at
// `last`: where k is no multiple of the lanes it overlaps the one before and computes some sums twice, without a mask.
// `copies` sets of sums keep enough additions in flight to hide their latency.
template <int vectors, class D, class T = hn::TFromD<D>>
void add_up_vectors(D d, const Index* HWY_RESTRICT offsets, Index columns, const RowIndex* HWY_RESTRICT indices,
                    const T* HWY_RESTRICT values, const T* HWY_RESTRICT f, Index k, Index last, T* HWY_RESTRICT out) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(D()));
  constexpr int copies = vectors == 1 ? 8 : vectors == 2 ? 4 : vectors <= 6 ? 2 : 1;
  constexpr Index line = 64 / sizeof(T);
  // Rows of a cache line and more are fetched early; shorter ones mostly lie in the nearest caches.
  constexpr Index ahead = vectors * lanes >= line ? 32 : 0;
  const Index last_entry = offsets[columns] - 1;
  for (Index j = 0; j < columns; ++j) {
    hn::Vec<D> sums[copies][vectors];
#pragma GCC unroll 16
    for (int u = 0; u < copies; ++u) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sums[u][v] = hn::Zero(d);
    }
    const Index end = offsets[j + 1];
    Index p = offsets[j];
    for (; p + copies <= end; p += copies) {
#pragma GCC unroll 16
      for (int u = 0; u < copies; ++u) {
        if constexpr (ahead > 0) {
          const T* later = f + static_cast<Index>(indices[std::min(p + u + ahead, last_entry)]) * k;
#pragma GCC unroll 16
          for (Index c = 0; c < vectors * lanes; c += line) hwy::Prefetch(later + c);
        }
        const T* row = f + static_cast<Index>(indices[p + u]) * k;
        const auto value = hn::Set(d, values[p + u]);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v)
          sums[u][v] = hn::MulAdd(value, hn::LoadU(d, row + (v + 1 < vectors ? v * lanes : last)), sums[u][v]);
      }
    }
    for (; p < end; ++p) {
      const T* row = f + static_cast<Index>(indices[p]) * k;
      const auto value = hn::Set(d, values[p]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v)
        sums[0][v] = hn::MulAdd(value, hn::LoadU(d, row + (v + 1 < vectors ? v * lanes : last)), sums[0][v]);
    }
#pragma GCC unroll 16
    for (int u = 1; u < copies; ++u) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sums[0][v] = hn::Add(sums[0][v], sums[u][v]);
    }
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) hn::StoreU(sums[0][v], d, out + j * k + (v + 1 < vectors ? v * lanes : last));
  }
}

// As many passes over the entries as the registers ask for, with nearly equal numbers of vectors.
template <int most, class D, class T = hn::TFromD<D>>
void add_up_with(D d, const Index* offsets, Index columns, const RowIndex* indices, const T* values, const T* f,
                 Index k, T* out) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(D()));
  const Index vectors = (k + lanes - 1) / lanes;
  Index done = 0;
  for (Index passes = (vectors + most - 1) / most; passes > 0; --passes) {
    const Index count = (vectors - done + passes - 1) / passes;
    const Index begin = done * lanes;
    const Index last = std::min((done + count) * lanes, k) - lanes - begin;
    const auto pass = [&](auto number) HWY_ATTR {
      add_up_vectors<number>(d, offsets, columns, indices, values, f + begin, k, last, out + begin);
    };
    switch (count) {
      case 1:
        pass(std::integral_constant<int, 1>());
        break;
      case 2:
        pass(std::integral_constant<int, 2>());
        break;
      case 3:
        pass(std::integral_constant<int, std::min(3, most)>());
        break;
      case 4:
        pass(std::integral_constant<int, std::min(4, most)>());
        break;
      case 5:
        pass(std::integral_constant<int, std::min(5, most)>());
        break;
      case 6:
        pass(std::integral_constant<int, std::min(6, most)>());
        break;
      case 7:
        pass(std::integral_constant<int, std::min(7, most)>());
        break;
      case 8:
        pass(std::integral_constant<int, std::min(8, most)>());
        break;
    }
    done += count;
  }
}

// The longest vector that is no longer than a row.
template <class T>
void add_up(const Index* offsets, Index columns, const RowIndex* indices, const T* values, const T* f, Index k,
            T* out) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  if (k >= lanes) return add_up_with<8>(hn::ScalableTag<T>(), offsets, columns, indices, values, f, k, out);
  if constexpr (lanes > 8) {
    if (k >= 8) return add_up_with<2>(hn::FixedTag<T, 8>(), offsets, columns, indices, values, f, k, out);
  }
  if constexpr (lanes > 4) {
    if (k >= 4) return add_up_with<2>(hn::FixedTag<T, 4>(), offsets, columns, indices, values, f, k, out);
  }
  if constexpr (lanes > 2) {
    if (k >= 2) return add_up_with<2>(hn::FixedTag<T, 2>(), offsets, columns, indices, values, f, k, out);
  }
  if constexpr (lanes > 1) return add_up_with<1>(hn::FixedTag<T, 1>(), offsets, columns, indices, values, f, k, out);
}

void add_up_float(const Index* offsets, Index columns, const RowIndex* indices, const float* values, const float* f,
                  Index k, float* out) {
  add_up(offsets, columns, indices, values, f, k, out);
}
void add_up_double(const Index* offsets, Index columns, const RowIndex* indices, const double* values, const double* f,
                   Index k, double* out) {
  add_up(offsets, columns, indices, values, f, k, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace copse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
HWY_EXPORT(add_up_float);
HWY_EXPORT(add_up_double);

namespace {

constexpr Index entries_per_block = 8192;

template <class T>
auto best_add_up() {
  if constexpr (std::is_same_v<T, float>) {
    return &HWY_DYNAMIC_DISPATCH(add_up_float);
  } else {
    return &HWY_DYNAMIC_DISPATCH(add_up_double);
  }
}
}  // namespace

template <class T>
void transpose_times(SparseView<T> x, const Matrix<T>& f, Matrix<T>& out) {
  assert(f.rows() == x.rows);
  const Index k = f.cols();
  out.reshape(x.cols, k);
  if (x.cols == 0 || k == 0) return;
  const auto add_up = best_add_up<T>();
  const auto add_up_entries = [&](Index begin, Index end, T* row) {
    const Index piece[] = {begin, end};
    add_up(piece, 1, x.indices.data(), x.values.data(), f.data(), k, row);
  };

  // Blocks of equal numbers of entries, not of columns: word frequencies are very uneven. A column belongs to the
  // block that it starts in; if it spans whole blocks, each adds up its own part, and the parts are joined in order.
  const Index first_entry = x.offsets[0], last_entry = x.offsets[x.cols];
  const Index blocks = std::max<Index>(1, (last_entry - first_entry + entries_per_block - 1) / entries_per_block);
  const auto entry = [&](Index b) { return std::min(last_entry, first_entry + b * entries_per_block); };
  const auto first_column = [&](Index b) {
    if (b == 0) return Index(0);
    if (b == blocks) return x.cols;
    return static_cast<Index>(std::lower_bound(x.offsets.begin(), x.offsets.end(), entry(b)) - x.offsets.begin());
  };
  const auto is_long = [&](Index j) { return x.offsets[j + 1] - x.offsets[j] > 2 * entries_per_block; };

  std::vector<Index> continued(static_cast<std::size_t>(blocks), -1);  // the long column that a block goes on with
  Matrix<T> parts;
  parts.reshape(blocks, k);
  parallel_for(blocks, [&](Index b) {
    const Index begin = first_column(b), end = first_column(b + 1);
    if (begin > 0 && x.offsets[begin] > entry(b) && is_long(begin - 1)) {
      continued[static_cast<std::size_t>(b)] = begin - 1;
      add_up_entries(entry(b), std::min(x.offsets[begin], entry(b + 1)), parts.row(b).data());
    }
    const Index whole = end > begin && is_long(end - 1) ? end - 1 : end;
    add_up(x.offsets.data() + begin, whole - begin, x.indices.data(), x.values.data(), f.data(), k,
           out.data() + begin * k);
    if (whole < end) add_up_entries(x.offsets[whole], entry(b + 1), out.row(whole).data());
  });
  for (Index b = 0; b < blocks; ++b) {
    const Index j = continued[static_cast<std::size_t>(b)];
    for (Index c = 0; j >= 0 && c < k; ++c) out(j, c) += parts(b, c);
  }
}

template void transpose_times(SparseView<float>, const Matrix<float>&, Matrix<float>&);
template void transpose_times(SparseView<double>, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
#endif  // HWY_ONCE
