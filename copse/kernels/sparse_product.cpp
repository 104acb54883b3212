#include "copse/kernels/sparse_product.h"

#include <algorithm>
#include <cassert>
#include <type_traits>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/kernels/dispatch-inl.h"

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

// Fetches the entries that come later: the machine's own prefetching loses its way among the rows of f. The address
// may lie beyond the end, where nothing is read.
template <class T>
HWY_INLINE void fetch_entries(const RowIndex* indices, const T* values) {
  constexpr Index ahead = 512;
  hwy::Prefetch(indices + ahead);
  hwy::Prefetch(values + ahead);
}

#if HWY_TARGET != HWY_SCALAR
// Pairs of numbers that stand at f + 2 i, for the entries of the lower or of the upper half of each 16 bytes of values.
// A pair of floats travels as one double, whose bits nobody looks at.
template <class D>
HWY_INLINE hn::Vec<D> load_pairs(D d, const float* f, const RowIndex* i) {
  if constexpr (hn::MaxLanes(d) > 4) {
    const hn::Half<D> half;
    return hn::Combine(d, load_pairs(half, f, i + hn::MaxLanes(half)), load_pairs(half, f, i));
  } else {
    const hn::FixedTag<double, 1> pair;
    const auto at = [&](RowIndex row) HWY_ATTR { return hn::LoadU(pair, reinterpret_cast<const double*>(f) + row); };
    return hn::BitCast(d, hn::Combine(hn::FixedTag<double, 2>(), at(i[1]), at(i[0])));
  }
}
template <class D>
HWY_INLINE hn::Vec<D> load_pairs(D d, const double* f, const RowIndex* i) {
  if constexpr (hn::MaxLanes(d) > 2) {
    const hn::Half<D> half;
    return hn::Combine(d, load_pairs(half, f, i + hn::MaxLanes(half)), load_pairs(half, f, i));
  } else {
    return hn::LoadU(d, f + 2 * static_cast<Index>(i[0]));
  }
}

template <class D>
HWY_INLINE hn::Vec<hn::FixedTag<hn::TFromD<D>, 2>> sum_of_pairs(D d, hn::Vec<D> pairs) {
  if constexpr (hn::MaxLanes(d) == 2) {
    return pairs;
  } else {
    const hn::Half<D> half;
    return sum_of_pairs(half, hn::Add(hn::UpperHalf(half, pairs), hn::LowerHalf(half, pairs)));
  }
}

// k = 2: as many entries at a time as a vector of up to 32 bytes holds values, in two vectors of pairs. The last vector
// of a column reaches into the next and counts its own entries only: a loop over the rest would cost a mispredicted
// branch per column. After the last of all `entries` there is no other way.
template <class T>
void add_up_pairs(const Index* HWY_RESTRICT offsets, Index columns, const RowIndex* HWY_RESTRICT indices,
                  const T* HWY_RESTRICT values, Index entries, const T* HWY_RESTRICT f, bool add, T* HWY_RESTRICT out) {
  const hn::CappedTag<T, 32 / sizeof(T)> d;
  const hn::FixedTag<T, 2> pair;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(d));
  constexpr Index upper = 8 / sizeof(T);  // entries in the lower half of 16 bytes of values
  for (Index j = 0; j < columns; ++j) {
    auto lower_sums = hn::Zero(d);
    auto upper_sums = hn::Zero(d);
    const Index end = offsets[j + 1];
    Index p = offsets[j];
    for (; p + lanes <= end; p += lanes) {
      fetch_entries(indices + p, values + p);
      const auto value = hn::LoadU(d, values + p);
      lower_sums = hn::MulAdd(hn::InterleaveLower(d, value, value), load_pairs(d, f, indices + p), lower_sums);
      upper_sums = hn::MulAdd(hn::InterleaveUpper(d, value, value), load_pairs(d, f, indices + p + upper), upper_sums);
    }
    if (p + lanes <= entries) {
      // Rows of other columns are left out before they are multiplied: they may hold infinities.
      const auto own = hn::FirstN(d, static_cast<std::size_t>(end - p));
      const auto value = hn::IfThenElseZero(own, hn::LoadU(d, values + p));
      const auto bits = hn::VecFromMask(d, own);
      const auto lower_rows = hn::And(hn::InterleaveLower(d, bits, bits), load_pairs(d, f, indices + p));
      const auto upper_rows = hn::And(hn::InterleaveUpper(d, bits, bits), load_pairs(d, f, indices + p + upper));
      lower_sums = hn::MulAdd(hn::InterleaveLower(d, value, value), lower_rows, lower_sums);
      upper_sums = hn::MulAdd(hn::InterleaveUpper(d, value, value), upper_rows, upper_sums);
      p = end;
    }
    auto sum = sum_of_pairs(d, hn::Add(lower_sums, upper_sums));
    for (; p < end; ++p) {
      const auto row = hn::LoadU(pair, f + 2 * static_cast<Index>(indices[p]));
      sum = hn::MulAdd(hn::Set(pair, values[p]), row, sum);
    }
    if (add) sum = hn::Add(sum, hn::LoadU(pair, out + 2 * j));
    hn::StoreU(sum, pair, out + 2 * j);
  }
}
#endif

// Rows of out for some columns: `vectors` vectors at `f` and `out`, whose rows are k apart. The last vector starts at
// `last`: where k is no multiple of the lanes it overlaps the one before and computes some sums twice, without a mask.
// With `add` the rows are added to what is there. `copies` sets of sums keep enough additions in flight to hide their
// latency; where columns stand alone, there are as many whatever the number of columns, and their sums have one order.
template <bool alone, int vectors, class D, class T = hn::TFromD<D>>
void add_up_vectors(D d, const Index* HWY_RESTRICT offsets, Index columns, const RowIndex* HWY_RESTRICT indices,
                    const T* HWY_RESTRICT values, const T* HWY_RESTRICT f, Index k, Index last, bool add,
                    T* HWY_RESTRICT out) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(D()));
  constexpr int copies = alone ? 2 : vectors == 1 ? 8 : vectors == 2 ? 4 : vectors <= 6 ? 2 : 1;
  constexpr Index line = 64 / sizeof(T);
  // Rows of a cache line and more are fetched early; shorter ones mostly lie in the nearest caches.
  constexpr Index ahead = !alone && vectors * lanes >= line ? 32 : 0;
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
      if constexpr (ahead == 0) fetch_entries(indices + p, values + p);
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
    if (add) {
      // All are read before any is written: the last two may overlap.
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v)
        sums[0][v] = hn::Add(sums[0][v], hn::LoadU(d, out + j * k + (v + 1 < vectors ? v * lanes : last)));
    }
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) hn::StoreU(sums[0][v], d, out + j * k + (v + 1 < vectors ? v * lanes : last));
  }
}

// As many passes over the entries as the registers ask for, with nearly equal numbers of vectors.
template <bool alone, int most, class D, class T = hn::TFromD<D>>
void add_up_with(D d, const Index* offsets, Index columns, const RowIndex* indices, const T* values, const T* f,
                 Index k, bool add, T* out) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(D()));
  const Index vectors = (k + lanes - 1) / lanes;
  Index done = 0;
  for (Index passes = (vectors + most - 1) / most; passes > 0; --passes) {
    const Index count = (vectors - done + passes - 1) / passes;
    const Index begin = done * lanes;
    const Index last = std::min((done + count) * lanes, k) - lanes - begin;
    const auto pass = [&](auto number) HWY_ATTR {
      add_up_vectors<alone, number>(d, offsets, columns, indices, values, f + begin, k, last, add, out + begin);
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
template <bool alone, class T>
void add_up(const Index* offsets, Index columns, const RowIndex* indices, const T* values, Index entries, const T* f,
            Index k, bool add, T* out) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
#if HWY_TARGET != HWY_SCALAR
  if (!alone && k == 2) return add_up_pairs(offsets, columns, indices, values, entries, f, add, out);
#else
  static_cast<void>(entries);
#endif
  const auto with = [&](auto d, auto most)
                        HWY_ATTR { add_up_with<alone, most>(d, offsets, columns, indices, values, f, k, add, out); };
  if (k >= lanes) return with(hn::ScalableTag<T>(), std::integral_constant < int, alone ? 6 : 8 > ());
  constexpr std::integral_constant<int, 2> two;
  if constexpr (lanes > 8) {
    if (k >= 8) return with(hn::FixedTag<T, 8>(), two);
  }
  if constexpr (lanes > 4) {
    if (k >= 4) return with(hn::FixedTag<T, 4>(), two);
  }
  if constexpr (lanes > 2) {
    if (k >= 2) return with(hn::FixedTag<T, 2>(), two);
  }
  if constexpr (lanes > 1) return with(hn::FixedTag<T, 1>(), std::integral_constant<int, 1>());
}

void add_up_float(const Index* offsets, Index columns, const RowIndex* indices, const float* values, Index entries,
                  const float* f, Index k, bool add, float* out) {
  add_up<false>(offsets, columns, indices, values, entries, f, k, add, out);
}
void add_up_double(const Index* offsets, Index columns, const RowIndex* indices, const double* values, Index entries,
                   const double* f, Index k, bool add, double* out) {
  add_up<false>(offsets, columns, indices, values, entries, f, k, add, out);
}
void add_up_alone_float(const Index* offsets, Index columns, const RowIndex* indices, const float* values,
                        Index entries, const float* f, Index k, bool add, float* out) {
  add_up<true>(offsets, columns, indices, values, entries, f, k, add, out);
}
void add_up_alone_double(const Index* offsets, Index columns, const RowIndex* indices, const double* values,
                         Index entries, const double* f, Index k, bool add, double* out) {
  add_up<true>(offsets, columns, indices, values, entries, f, k, add, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace copse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

COPSE_EXPORT(add_up)
COPSE_EXPORT(add_up_alone)

constexpr Index entries_per_block = 8192;

// Rows of X' F for columns that may be cut: the entries offsets[j] ... offsets[j + 1] - 1 belong to row j of out.
template <class T>
void add_up_columns(SparseView<T> x, const Index* offsets, Index columns, const Matrix<T>& f, Sums sums, bool add,
                    T* out) {
  const auto add_up = sums == Sums::by_column ? best_add_up_alone<T>() : best_add_up<T>();
  add_up(offsets, columns, x.indices.data(), x.values.data(), x.offsets[x.cols], f.data(), f.cols(), add, out);
}

}  // namespace

template <class T>
void transpose_times(SparseView<T> x, const Matrix<T>& f, Matrix<T>& out, Sums sums) {
  assert(f.rows() == x.rows);
  const Index k = f.cols();
  out.reshape(x.cols, k);
  if (x.cols == 0 || k == 0) return;
  const auto add_up_entries = [&](Index begin, Index end, std::span<T> row) {
    const Index piece[] = {begin, end};
    add_up_columns(x, piece, 1, f, sums, false, row.data());
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
      add_up_entries(entry(b), std::min(x.offsets[begin], entry(b + 1)), parts.row(b));
    }
    const Index whole = end > begin && is_long(end - 1) ? end - 1 : end;
    add_up_columns(x, x.offsets.data() + begin, whole - begin, f, sums, false, out.data() + begin * k);
    if (whole < end) add_up_entries(x.offsets[whole], entry(b + 1), out.row(whole));
  });
  for (Index b = 0; b < blocks; ++b) {
    const Index j = continued[static_cast<std::size_t>(b)];
    for (Index c = 0; j >= 0 && c < k; ++c) out(j, c) += parts(b, c);
  }
}

template <class T>
void add_transpose_times(SparseView<T> x, Index first_column, Index columns, const Matrix<T>& f, Matrix<T>& out,
                         Index first_row, Sums sums) {
  assert(f.rows() == x.rows && first_column + columns <= x.cols && first_row + columns <= out.rows() &&
         out.cols() == f.cols());
  if (f.cols() == 0) return;
  add_up_columns(x, x.offsets.data() + first_column, columns, f, sums, true, out.data() + first_row * out.cols());
}

template void transpose_times(SparseView<float>, const Matrix<float>&, Matrix<float>&, Sums);
template void transpose_times(SparseView<double>, const Matrix<double>&, Matrix<double>&, Sums);
template void add_transpose_times(SparseView<float>, Index, Index, const Matrix<float>&, Matrix<float>&, Index, Sums);
template void add_transpose_times(SparseView<double>, Index, Index, const Matrix<double>&, Matrix<double>&, Index,
                                  Sums);

}  // namespace copse
#endif  // HWY_ONCE
