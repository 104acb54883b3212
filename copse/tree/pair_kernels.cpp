#include "copse/tree/pair_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/tree/pair_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per instruction set.
#include "copse/nnls/two_columns-inl.h"
#include "hwy/highway.h"

// From here to HWY_ONCE the file is compiled once per instruction set.
HWY_BEFORE_NAMESPACE();
namespace copse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two numbers side by side, also where a vector has only one.
#if HWY_TARGET == HWY_SCALAR
template <class T>
struct PairOf {
  T first, second;
  static PairOf zero() { return {0, 0}; }
  static PairOf load(const T* from) { return {from[0], from[1]}; }
  void store(T* to) const { to[0] = first, to[1] = second; }
  PairOf plus(T factor, PairOf other) const { return {first + factor * other.first, second + factor * other.second}; }
  PairOf plus(PairOf other) const { return {first + other.first, second + other.second}; }
};
#else
template <class T>
struct PairOf {
  using D = hn::FixedTag<T, 2>;
  hn::Vec<D> pair;
  static HWY_INLINE PairOf zero() { return {hn::Zero(D())}; }
  static HWY_INLINE PairOf load(const T* from) { return {hn::LoadU(D(), from)}; }
  HWY_INLINE void store(T* to) const { hn::StoreU(pair, D(), to); }
  HWY_INLINE PairOf plus(T factor, PairOf other) const { return {hn::MulAdd(hn::Set(D(), factor), other.pair, pair)}; }
  HWY_INLINE PairOf plus(PairOf other) const { return {hn::Add(pair, other.pair)}; }
};
#endif

// Sums of vectors are carried over to double after so many; where there are few items per W'x, the sums are finer.
constexpr Index vectors_per_sum = 64;
constexpr Index groups_per_sum = 8;

template <class D>
HWY_INLINE double sum_lanes(D d, hn::Vec<D> v) {
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, v)));
}

// Adds x h' to the sums, for the entries [from, to) of one item.
template <class T, class Row>
HWY_INLINE void add_item(const Row* HWY_RESTRICT indices, const T* HWY_RESTRICT values, Index from, Index to,
                         PairOf<T> h, T* s) {
  using Pair = PairOf<T>;
  const auto sum = [&](Index p) HWY_ATTR { return s + 2 * static_cast<Index>(indices[p]); };
  Index p = from;
  // The rows of an item are distinct: four are loaded before the first is stored.
  for (; p + 4 <= to; p += 4) {
    T *const t0 = sum(p), *const t1 = sum(p + 1), *const t2 = sum(p + 2), *const t3 = sum(p + 3);
    const Pair r0 = Pair::load(t0).plus(values[p], h), r1 = Pair::load(t1).plus(values[p + 1], h);
    const Pair r2 = Pair::load(t2).plus(values[p + 2], h), r3 = Pair::load(t3).plus(values[p + 3], h);
    r0.store(t0), r1.store(t1), r2.store(t2), r3.store(t3);
  }
  for (; p < to; ++p) Pair::load(sum(p)).plus(values[p], h).store(sum(p));
}

// Items are read in groups of as many as a vector holds. Calls rule(first item, b1, b2, h1, h2) for a group, with the
// vectors b1, b2 of its items' W'x; lanes beyond the last item have b = 0 and must have h = 0.
template <class T, class Row, class Rule>
PairSums<4> read_items(const SparseItems<T, Row>& x, const T* w, const Rule& rule, Index begin, Index end,
                       T* HWY_RESTRICT h, T* s) {
  using Pair = PairOf<T>;
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  const Row* HWY_RESTRICT indices = x.indices;
  const T* HWY_RESTRICT values = x.values;
  const auto row = [&](Index p) HWY_ATTR { return Pair::load(w + 2 * static_cast<Index>(indices[p])); };
  const auto zero = hn::Zero(d);
  HWY_ALIGN T group[2 * lanes] = {};
  PairSums<4> sums;
  for (Index first = begin; first < end;) {
    auto s11 = zero, s12 = zero, s22 = zero, fitted = zero;
    for (Index g = 0; g < groups_per_sum && first < end; ++g, first += lanes) {
      const Index count = std::min(lanes, end - first);
      if (count < lanes) std::fill(group, group + 2 * lanes, T(0));
      for (Index e = 0; e < count; ++e) {
        const Index to = x.offsets[first + e + 1];
        // Enough additions in flight to hide their latency.
        Pair s0 = Pair::zero(), s1 = s0, s2 = s0, s3 = s0;
        Index p = x.offsets[first + e];
        for (; p + 4 <= to; p += 4) {
          s0 = s0.plus(values[p], row(p));
          s1 = s1.plus(values[p + 1], row(p + 1));
          s2 = s2.plus(values[p + 2], row(p + 2));
          s3 = s3.plus(values[p + 3], row(p + 3));
        }
        for (; p < to; ++p) s0 = s0.plus(values[p], row(p));
        s0.plus(s1).plus(s2.plus(s3)).store(group + 2 * e);
      }
      auto b1 = zero, b2 = zero, h1 = zero, h2 = zero;
      hn::LoadInterleaved2(d, group, b1, b2);
      rule(first, b1, b2, h1, h2);
      hn::StoreInterleaved2(h1, h2, d, group);
      std::copy_n(group, 2 * count, h + 2 * first);
      s11 = hn::MulAdd(h1, h1, s11);
      s12 = hn::MulAdd(h1, h2, s12);
      s22 = hn::MulAdd(h2, h2, s22);
      fitted = hn::MulAdd(b1, h1, hn::MulAdd(b2, h2, fitted));
      for (Index e = 0; e < count; ++e)
        add_item(indices, values, x.offsets[first + e], x.offsets[first + e + 1], Pair::load(group + 2 * e), s);
    }
    sums += {{sum_lanes(d, s11), sum_lanes(d, s12), sum_lanes(d, s22), sum_lanes(d, fitted)}};
  }
  return sums;
}

// Calls block(first row, vectors) for runs of whole vectors and returns the number of rows covered.
template <class D, class Block>
HWY_INLINE Index for_vectors(D, Index rows, const Block& block) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(D()));
  const Index vectors = rows / lanes;
  for (Index v = 0; v < vectors; v += vectors_per_sum) block(v * lanes, std::min(vectors_per_sum, vectors - v));
  return vectors * lanes;
}

template <class T>
PairSums<7> alternate_rows_of(const T* HWY_RESTRICT y, const T* HWY_RESTRICT w, const TwoColumns<T>& solve, T a, T b,
                              T c, const std::array<const T*, 3>& others, Index rows, const Alternated<T>& out) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  PairSums<7> sums;
  const auto zero = hn::Zero(d);
  const auto va = hn::Set(d, a), vb = hn::Set(d, b), vc = hn::Set(d, c);
  const VectorTwoColumns<T> solve_vector(solve);
  const T *other0 = others[0], *other1 = others[1], *other2 = others[2];
  T *g = out.g, *step = out.step;
  Index done = for_vectors(d, rows, [&](Index row, Index vectors) HWY_ATTR {
    auto dd1 = zero, dd2 = zero, yy1 = zero, yy2 = zero, s0 = zero, s1 = zero, s2 = zero;
    for (Index v = 0; v < vectors; ++v) {
      const Index at = 2 * (row + v * lanes);
      auto y1 = zero, y2 = zero, w1 = zero, w2 = zero, g1 = zero, g2 = zero;
      hn::LoadInterleaved2(d, y + at, y1, y2);
      hn::LoadInterleaved2(d, w + at, w1, w2);
      solve_vector(y1, y2, g1, g2);
      hn::StoreInterleaved2(g1, g2, d, g + at);
      auto d1 = hn::MulAdd(w1, va, hn::MulSub(w2, vb, y1)), d2 = hn::MulAdd(w1, vb, hn::MulSub(w2, vc, y2));
      d1 = hn::IfThenElse(hn::Gt(w1, zero), d1, hn::Min(d1, zero));
      d2 = hn::IfThenElse(hn::Gt(w2, zero), d2, hn::Min(d2, zero));
      dd1 = hn::MulAdd(d1, d1, dd1);
      dd2 = hn::MulAdd(d2, d2, dd2);
      yy1 = hn::MulAdd(y1, y1, yy1);
      yy2 = hn::MulAdd(y2, y2, yy2);
      for (const Index e : {at, at + lanes}) {
        const auto difference = hn::Sub(hn::LoadU(d, g + e), hn::LoadU(d, w + e));
        hn::StoreU(difference, d, step + e);
        s0 = hn::MulAdd(difference, hn::LoadU(d, other0 + e), s0);
        s1 = hn::MulAdd(difference, hn::LoadU(d, other1 + e), s1);
        s2 = hn::MulAdd(difference, hn::LoadU(d, other2 + e), s2);
      }
    }
    sums += {{sum_lanes(d, dd1), sum_lanes(d, dd2), sum_lanes(d, yy1), sum_lanes(d, yy2), sum_lanes(d, s0),
              sum_lanes(d, s1), sum_lanes(d, s2)}};
  });
  for (; done < rows; ++done) {
    const Index at = 2 * done;
    const T w1 = w[at], w2 = w[at + 1];
    const auto [g1, g2] = solve(y[at], y[at + 1]);
    g[at] = g1, g[at + 1] = g2;
    T gradient[2] = {w1 * a + w2 * b - y[at], w1 * b + w2 * c - y[at + 1]};
    for (Index e = 0; e < 2; ++e) {
      if (!(w[at + e] > T(0))) gradient[e] = std::min(gradient[e], T(0));
      sums.values[e] += static_cast<double>(gradient[e]) * static_cast<double>(gradient[e]);
      sums.values[2 + e] += static_cast<double>(y[at + e]) * static_cast<double>(y[at + e]);
      step[at + e] = g[at + e] - w[at + e];
      const double difference = static_cast<double>(step[at + e]);
      for (std::size_t i = 0; i < 3; ++i) sums.values[4 + i] += difference * static_cast<double>(others[i][at + e]);
    }
  }
  return sums;
}

template <class T>
PairSums<4> combine_rows_of(const std::array<const T*, 3>& in, const std::array<T, 3>& weights,
                            const T* HWY_RESTRICT from, const T* HWY_RESTRICT along, Index rows, T* HWY_RESTRICT out) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  const T *in0 = in[0], *in1 = in[1], *in2 = in[2];
  const auto zero = hn::Zero(d), k0 = hn::Set(d, weights[0]), k1 = hn::Set(d, weights[1]), k2 = hn::Set(d, weights[2]);
  const auto mixed = [&](Index e) HWY_ATTR {
    const auto sum = hn::MulAdd(k2, hn::LoadU(d, in2 + e), hn::Mul(k1, hn::LoadU(d, in1 + e)));
    return hn::Max(hn::MulAdd(k0, hn::LoadU(d, in0 + e), sum), zero);
  };
  const auto ahead = [&](hn::Vec<hn::ScalableTag<T>> value, Index e, hn::Vec<hn::ScalableTag<T>> sum) HWY_ATTR {
    return hn::MulAdd(hn::Sub(value, hn::LoadU(d, from + e)), hn::LoadU(d, along + e), sum);
  };
  PairSums<4> sums;
  Index done = for_vectors(d, rows, [&](Index row, Index vectors) HWY_ATTR {
    auto s11 = zero, s12 = zero, s22 = zero, way = zero;
    for (Index v = 0; v < vectors; ++v) {
      const Index at = 2 * (row + v * lanes);
      const auto low = mixed(at), high = mixed(at + lanes);
      hn::StoreU(low, d, out + at);
      hn::StoreU(high, d, out + at + lanes);
      way = ahead(low, at, ahead(high, at + lanes, way));
      // Which row a lane belongs to does not matter here, only that the two of a pair meet.
#if HWY_TARGET == HWY_SCALAR
      const auto first = low, second = high;
#else
      const auto first = hn::ConcatEven(d, high, low), second = hn::ConcatOdd(d, high, low);
#endif
      s11 = hn::MulAdd(first, first, s11);
      s12 = hn::MulAdd(first, second, s12);
      s22 = hn::MulAdd(second, second, s22);
    }
    sums += {{sum_lanes(d, s11), sum_lanes(d, s12), sum_lanes(d, s22), sum_lanes(d, way)}};
  });
  for (; done < rows; ++done) {
    double pair[2];
    for (Index c = 0; c < 2; ++c) {
      const Index e = 2 * done + c;
      out[e] = std::max(weights[0] * in0[e] + (weights[2] * in2[e] + weights[1] * in1[e]), T(0));
      pair[c] = static_cast<double>(out[e]);
      sums.values[3] += static_cast<double>(out[e] - from[e]) * static_cast<double>(along[e]);
    }
    sums.values[0] += pair[0] * pair[0], sums.values[1] += pair[0] * pair[1], sums.values[2] += pair[1] * pair[1];
  }
  return sums;
}

template <class T>
PairSums<4> cross_rows_of(const T* HWY_RESTRICT a, const T* b, Index rows) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  const auto zero = hn::Zero(d);
  PairSums<4> sums;
  Index done = for_vectors(d, rows, [&](Index row, Index vectors) HWY_ATTR {
    auto s11 = zero, s12 = zero, s21 = zero, s22 = zero;
    for (Index v = 0; v < vectors; ++v) {
      const Index at = 2 * (row + v * lanes);
      auto a1 = zero, a2 = zero, b1 = zero, b2 = zero;
      hn::LoadInterleaved2(d, a + at, a1, a2);
      hn::LoadInterleaved2(d, b + at, b1, b2);
      s11 = hn::MulAdd(a1, b1, s11);
      s12 = hn::MulAdd(a1, b2, s12);
      s21 = hn::MulAdd(a2, b1, s21);
      s22 = hn::MulAdd(a2, b2, s22);
    }
    sums += {{sum_lanes(d, s11), sum_lanes(d, s12), sum_lanes(d, s21), sum_lanes(d, s22)}};
  });
  for (; done < rows; ++done) {
    for (std::size_t e = 0; e < 4; ++e)
      sums.values[e] += static_cast<double>(a[2 * done + e / 2]) * static_cast<double>(b[2 * done + e % 2]);
  }
  return sums;
}

template <class T>
void add_rows_of(const T* in, const std::array<T, 4>& c, Index rows, T* out) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  const auto c0 = hn::Set(d, c[0]), c1 = hn::Set(d, c[1]), c2 = hn::Set(d, c[2]), c3 = hn::Set(d, c[3]);
  Index done = 0;
  for (; done + lanes <= rows; done += lanes) {
    auto a1 = hn::Zero(d), a2 = a1, b1 = a1, b2 = a1;
    hn::LoadInterleaved2(d, in + 2 * done, a1, a2);
    hn::LoadInterleaved2(d, out + 2 * done, b1, b2);
    b1 = hn::MulAdd(a2, c2, hn::MulAdd(a1, c0, b1));
    b2 = hn::MulAdd(a2, c3, hn::MulAdd(a1, c1, b2));
    hn::StoreInterleaved2(b1, b2, d, out + 2 * done);
  }
  for (; done < rows; ++done) {
    const T a1 = in[2 * done], a2 = in[2 * done + 1];
    out[2 * done] += a1 * c[0] + a2 * c[2];
    out[2 * done + 1] += a1 * c[1] + a2 * c[3];
  }
}

template <class T, class Row>
PairSums<4> sweep_items_of(const SparseItems<T, Row>& x, const T* w, const TwoColumns<T>& solve, Index begin, Index end,
                           T* h, T* s) {
  using V = hn::Vec<hn::ScalableTag<T>>;
  const VectorTwoColumns<T> solve_vector(solve);
  const auto rule = [&](Index, V b1, V b2, V& h1, V& h2) HWY_ATTR { solve_vector(b1, b2, h1, h2); };
  return read_items(x, w, rule, begin, end, h, s);
}

template <class T, class Row>
PairSums<4> project_items_of(const SparseItems<T, Row>& x, const T* w, const char* in_first, Index begin, Index end,
                             T* h, T* s) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  using V = hn::Vec<hn::ScalableTag<T>>;
  const auto rule = [&](Index first, V b1, V b2, V& h1, V& h2) HWY_ATTR {
    h1 = b1, h2 = b2;
    if (in_first == nullptr) return;
    HWY_ALIGN T mask[lanes] = {};
    for (Index e = 0; e < std::min(lanes, end - first); ++e) mask[e] = in_first[first + e] ? T(1) : T(0);
    const auto one = hn::Ne(hn::Load(d, mask), hn::Zero(d));
    h1 = hn::IfThenElseZero(one, b1), h2 = hn::IfThenZeroElse(one, b2);
  };
  return read_items(x, w, rule, begin, end, h, s);
}

template <class T, class Row>
void spread_items_of(const SparseItems<T, Row>& x, const T* h, Index begin, Index end, T* s) {
  for (Index j = begin; j < end; ++j)
    add_item(x.indices, x.values, x.offsets[j], x.offsets[j + 1], PairOf<T>::load(h + 2 * j), s);
}

#define COPSE_DEFINE_ITEMS(T, Row, name)                                                                            \
  PairSums<4> sweep_items_##name(const SparseItems<T, Row>& x, const T* w, const TwoColumns<T>& solve, Index begin, \
                                 Index end, T* h, T* s) {                                                           \
    return sweep_items_of(x, w, solve, begin, end, h, s);                                                           \
  }                                                                                                                 \
  PairSums<4> project_items_##name(const SparseItems<T, Row>& x, const T* w, const char* in_first, Index begin,     \
                                   Index end, T* h, T* s) {                                                         \
    return project_items_of(x, w, in_first, begin, end, h, s);                                                      \
  }                                                                                                                 \
  void spread_items_##name(const SparseItems<T, Row>& x, const T* h, Index begin, Index end, T* s) {                \
    spread_items_of(x, h, begin, end, s);                                                                           \
  }
COPSE_DEFINE_ITEMS(float, std::uint16_t, float_short)
COPSE_DEFINE_ITEMS(float, RowIndex, float_long)
COPSE_DEFINE_ITEMS(double, std::uint16_t, double_short)
COPSE_DEFINE_ITEMS(double, RowIndex, double_long)
#undef COPSE_DEFINE_ITEMS

#define COPSE_DEFINE(T, name)                                                                                        \
  PairSums<7> alternate_rows_##name(const T* y, const T* w, const TwoColumns<T>& solve, T a, T b, T c,               \
                                    const std::array<const T*, 3>& others, Index rows, const Alternated<T>& out) {   \
    return alternate_rows_of<T>(y, w, solve, a, b, c, others, rows, out);                                            \
  }                                                                                                                  \
  PairSums<4> combine_rows_##name(const std::array<const T*, 3>& in, const std::array<T, 3>& weights, const T* from, \
                                  const T* along, Index rows, T* out) {                                              \
    return combine_rows_of<T>(in, weights, from, along, rows, out);                                                  \
  }                                                                                                                  \
  PairSums<4> cross_rows_##name(const T* a, const T* b, Index rows) { return cross_rows_of<T>(a, b, rows); }         \
  void add_rows_##name(const T* in, const std::array<T, 4>& c, Index rows, T* out) { add_rows_of<T>(in, c, rows, out); }
COPSE_DEFINE(float, float)
COPSE_DEFINE(double, double)
#undef COPSE_DEFINE

}  // namespace HWY_NAMESPACE
}  // namespace copse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {

#define COPSE_EXPORT_ITEMS(T, Row, name)                                                                            \
  HWY_EXPORT(sweep_items_##name);                                                                                   \
  HWY_EXPORT(project_items_##name);                                                                                 \
  HWY_EXPORT(spread_items_##name);                                                                                  \
  template <>                                                                                                       \
  PairSums<4> sweep_items(const SparseItems<T, Row>& x, const T* w, const TwoColumns<T>& solve, Index begin,        \
                          Index end, T* h, T* s) {                                                                  \
    return HWY_DYNAMIC_DISPATCH(sweep_items_##name)(x, w, solve, begin, end, h, s);                                 \
  }                                                                                                                 \
  template <>                                                                                                       \
  PairSums<4> project_items(const SparseItems<T, Row>& x, const T* w, const char* in_first, Index begin, Index end, \
                            T* h, T* s) {                                                                           \
    return HWY_DYNAMIC_DISPATCH(project_items_##name)(x, w, in_first, begin, end, h, s);                            \
  }                                                                                                                 \
  template <>                                                                                                       \
  void spread_items(const SparseItems<T, Row>& x, const T* h, Index begin, Index end, T* s) {                       \
    HWY_DYNAMIC_DISPATCH(spread_items_##name)(x, h, begin, end, s);                                                 \
  }
COPSE_EXPORT_ITEMS(float, std::uint16_t, float_short)
COPSE_EXPORT_ITEMS(float, RowIndex, float_long)
COPSE_EXPORT_ITEMS(double, std::uint16_t, double_short)
COPSE_EXPORT_ITEMS(double, RowIndex, double_long)

#define COPSE_EXPORT(T, name)                                                                                 \
  HWY_EXPORT(alternate_rows_##name);                                                                          \
  HWY_EXPORT(combine_rows_##name);                                                                            \
  HWY_EXPORT(cross_rows_##name);                                                                              \
  HWY_EXPORT(add_rows_##name);                                                                                \
  template <>                                                                                                 \
  PairSums<7> alternate_rows(const T* y, const T* w, const TwoColumns<T>& solve, T a, T b, T c,               \
                             const std::array<const T*, 3>& others, Index rows, const Alternated<T>& out) {   \
    return HWY_DYNAMIC_DISPATCH(alternate_rows_##name)(y, w, solve, a, b, c, others, rows, out);              \
  }                                                                                                           \
  template <>                                                                                                 \
  PairSums<4> combine_rows(const std::array<const T*, 3>& in, const std::array<T, 3>& weights, const T* from, \
                           const T* along, Index rows, T* out) {                                              \
    return HWY_DYNAMIC_DISPATCH(combine_rows_##name)(in, weights, from, along, rows, out);                    \
  }                                                                                                           \
  template <>                                                                                                 \
  PairSums<4> cross_rows(const T* a, const T* b, Index rows) {                                                \
    return HWY_DYNAMIC_DISPATCH(cross_rows_##name)(a, b, rows);                                               \
  }                                                                                                           \
  template <>                                                                                                 \
  void add_rows(const T* in, const std::array<T, 4>& c, Index rows, T* out) {                                 \
    HWY_DYNAMIC_DISPATCH(add_rows_##name)(in, c, rows, out);                                                  \
  }
COPSE_EXPORT(float, float)
COPSE_EXPORT(double, double)

}  // namespace copse
#endif
