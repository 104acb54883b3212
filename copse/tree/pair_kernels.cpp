#include "copse/tree/pair_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/tree/pair_kernels.cpp"
#include "hwy/foreach_target.h"
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

// Sums of vectors are carried over to double after so many.
constexpr Index vectors_per_sum = 64;

template <class T, class Rule>
PairSums<4> sweep_items_of(const SparseItems<T>& x, T* HWY_RESTRICT table, const Rule& rule, Index begin, Index end,
                           T* HWY_RESTRICT h) {
  const Index* HWY_RESTRICT offsets = x.offsets;
  const RowIndex* HWY_RESTRICT indices = x.indices;
  const T* HWY_RESTRICT values = x.values;
  using Pair = PairOf<T>;
  const auto row = [&](Index p) HWY_ATTR { return Pair::load(table + 4 * static_cast<Index>(indices[p])); };
  PairSums<4> sums;
  for (Index j = begin; j < end; ++j) {
    const Index from = offsets[j], to = offsets[j + 1];
    // Enough additions in flight to hide their latency.
    Pair s0 = Pair::zero(), s1 = s0, s2 = s0, s3 = s0;
    Index p = from;
    for (; p + 4 <= to; p += 4) {
      s0 = s0.plus(values[p], row(p));
      s1 = s1.plus(values[p + 1], row(p + 1));
      s2 = s2.plus(values[p + 2], row(p + 2));
      s3 = s3.plus(values[p + 3], row(p + 3));
    }
    for (; p < to; ++p) s0 = s0.plus(values[p], row(p));
    T b[2];
    s0.plus(s1).plus(s2.plus(s3)).store(b);
    const auto [h1, h2] = rule(b[0], b[1]);
    h[2 * j] = h1, h[2 * j + 1] = h2;
    const double x1 = static_cast<double>(h1), x2 = static_cast<double>(h2);
    sums.values[0] += x1 * x1, sums.values[1] += x1 * x2, sums.values[2] += x2 * x2;
    sums.values[3] += static_cast<double>(b[0]) * x1 + static_cast<double>(b[1]) * x2;
    const Pair pair = Pair::load(h + 2 * j);
    // The rows of an item are distinct: four are loaded before the first is stored.
    const auto sum = [&](Index q) HWY_ATTR { return table + 4 * static_cast<Index>(indices[q]) + 2; };
    for (p = from; p + 4 <= to; p += 4) {
      T *const t0 = sum(p), *const t1 = sum(p + 1), *const t2 = sum(p + 2), *const t3 = sum(p + 3);
      const Pair r0 = Pair::load(t0).plus(values[p], pair), r1 = Pair::load(t1).plus(values[p + 1], pair);
      const Pair r2 = Pair::load(t2).plus(values[p + 2], pair), r3 = Pair::load(t3).plus(values[p + 3], pair);
      r0.store(t0), r1.store(t1), r2.store(t2), r3.store(t3);
    }
    for (; p < to; ++p) Pair::load(sum(p)).plus(values[p], pair).store(sum(p));
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
PairSums<3> gram_rows_of(const T* HWY_RESTRICT w, Index rows) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  const auto zero = hn::Zero(d);
  PairSums<3> sums;
  Index done = for_vectors(d, rows, [&](Index row, Index vectors) HWY_ATTR {
    auto s0 = zero, s1 = zero, s2 = zero;
    for (Index v = 0; v < vectors; ++v) {
      auto w1 = zero, w2 = zero;
      hn::LoadInterleaved2(d, w + 2 * (row + v * lanes), w1, w2);
      s0 = hn::MulAdd(w1, w1, s0);
      s1 = hn::MulAdd(w1, w2, s1);
      s2 = hn::MulAdd(w2, w2, s2);
    }
    sums.values[0] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s0)));
    sums.values[1] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s1)));
    sums.values[2] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s2)));
  });
  for (; done < rows; ++done) {
    const double w1 = static_cast<double>(w[2 * done]), w2 = static_cast<double>(w[2 * done + 1]);
    sums.values[0] += w1 * w1, sums.values[1] += w1 * w2, sums.values[2] += w2 * w2;
  }
  return sums;
}

template <class T>
PairSums<4> solve_rows_of(const T* HWY_RESTRICT y, const T* HWY_RESTRICT w, const TwoColumns<T>& solve, T a, T b, T c,
                          Index rows, T* HWY_RESTRICT g) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  PairSums<4> sums;
  const auto zero = hn::Zero(d);
  const auto inverse11 = hn::Set(d, solve.inverse11()), inverse12 = hn::Set(d, solve.inverse12()),
             inverse22 = hn::Set(d, solve.inverse22()), scale1 = hn::Set(d, solve.scale1()),
             scale2 = hn::Set(d, solve.scale2()), va = hn::Set(d, a), vb = hn::Set(d, b), vc = hn::Set(d, c);
  const auto regular = solve.regular() ? hn::Eq(zero, zero) : hn::Ne(zero, zero);
  Index done = for_vectors(d, rows, [&](Index row, Index vectors) HWY_ATTR {
    auto gg1 = zero, gg2 = zero, dd = zero, yy = zero;
    for (Index v = 0; v < vectors; ++v) {
      const Index at = 2 * (row + v * lanes);
      auto y1 = zero, y2 = zero, w1 = zero, w2 = zero;
      hn::LoadInterleaved2(d, y + at, y1, y2);
      hn::LoadInterleaved2(d, w + at, w1, w2);
      const auto f1 = hn::NegMulAdd(inverse12, y2, hn::Mul(inverse11, y1));
      const auto f2 = hn::NegMulAdd(inverse12, y1, hn::Mul(inverse22, y2));
      const auto both = hn::And(regular, hn::And(hn::Ge(f1, zero), hn::Ge(f2, zero)));
      const auto u = hn::Max(hn::Mul(scale1, y1), zero), t = hn::Max(hn::Mul(scale2, y2), zero);
      const auto first = hn::Ge(u, t);
      const auto g1 = hn::IfThenElse(both, f1, hn::IfThenElseZero(first, hn::Mul(u, scale1)));
      const auto g2 = hn::IfThenElse(both, f2, hn::IfThenZeroElse(first, hn::Mul(t, scale2)));
      hn::StoreInterleaved2(g1, g2, d, g + at);
      auto d1 = hn::MulAdd(w1, va, hn::MulSub(w2, vb, y1)), d2 = hn::MulAdd(w1, vb, hn::MulSub(w2, vc, y2));
      d1 = hn::IfThenElse(hn::Gt(w1, zero), d1, hn::Min(d1, zero));
      d2 = hn::IfThenElse(hn::Gt(w2, zero), d2, hn::Min(d2, zero));
      gg1 = hn::MulAdd(g1, g1, gg1);
      gg2 = hn::MulAdd(g2, g2, gg2);
      dd = hn::MulAdd(d1, d1, hn::MulAdd(d2, d2, dd));
      yy = hn::MulAdd(y1, y1, hn::MulAdd(y2, y2, yy));
    }
    sums.values[0] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, gg1)));
    sums.values[1] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, gg2)));
    sums.values[2] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, dd)));
    sums.values[3] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, yy)));
  });
  for (; done < rows; ++done) {
    const T y1 = y[2 * done], y2 = y[2 * done + 1], w1 = w[2 * done], w2 = w[2 * done + 1];
    const auto [g1, g2] = solve(y1, y2);
    g[2 * done] = g1, g[2 * done + 1] = g2;
    T d1 = w1 * a + w2 * b - y1, d2 = w1 * b + w2 * c - y2;
    d1 = w1 > T(0) ? d1 : std::min(d1, T(0));
    d2 = w2 > T(0) ? d2 : std::min(d2, T(0));
    sums.values[0] += static_cast<double>(g1) * static_cast<double>(g1);
    sums.values[1] += static_cast<double>(g2) * static_cast<double>(g2);
    sums.values[2] += static_cast<double>(d1 * d1 + d2 * d2);
    sums.values[3] += static_cast<double>(y1 * y1 + y2 * y2);
  }
  return sums;
}

template <class T>
PairSums<2> combine_rows_of(const std::array<const T*, 3>& in, const std::array<T, 3>& weights, Index rows,
                            T* HWY_RESTRICT out) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  const T *HWY_RESTRICT in0 = in[0], *HWY_RESTRICT in1 = in[1], *HWY_RESTRICT in2 = in[2];
  const auto zero = hn::Zero(d), k0 = hn::Set(d, weights[0]), k1 = hn::Set(d, weights[1]), k2 = hn::Set(d, weights[2]);
  PairSums<2> sums;
  Index done = for_vectors(d, rows, [&](Index row, Index vectors) HWY_ATTR {
    auto first = zero, second = zero;
    for (Index v = 0; v < vectors; ++v) {
      const Index at = 2 * (row + v * lanes);
      const auto mixed = [&](Index e) HWY_ATTR {
        const auto sum = hn::MulAdd(k2, hn::LoadU(d, in2 + e), hn::Mul(k1, hn::LoadU(d, in1 + e)));
        return hn::Max(hn::MulAdd(k0, hn::LoadU(d, in0 + e), sum), zero);
      };
      const auto low = mixed(at), high = mixed(at + lanes);
      hn::StoreU(low, d, out + at);
      hn::StoreU(high, d, out + at + lanes);
      // Even lanes hold the first of each pair, odd lanes the second.
      first = hn::MulAdd(low, low, first);
      second = hn::MulAdd(high, high, second);
    }
    HWY_ALIGN T parts[2 * lanes];
    hn::Store(first, d, parts);
    hn::Store(second, d, parts + lanes);
    for (Index e = 0; e < 2 * lanes; ++e) sums.values[e % 2] += static_cast<double>(parts[e]);
  });
  for (; done < rows; ++done) {
    for (Index c = 0; c < 2; ++c) {
      const Index e = 2 * done + c;
      out[e] = std::max(weights[0] * in0[e] + (weights[2] * in2[e] + weights[1] * in1[e]), T(0));
      sums.values[c] += static_cast<double>(out[e]) * static_cast<double>(out[e]);
    }
  }
  return sums;
}

template <class T>
PairSums<3> step_rows_of(const T* HWY_RESTRICT g, const T* HWY_RESTRICT w, const std::array<const T*, 3>& others,
                         Index rows, T* step) {
  const hn::ScalableTag<T> d;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<T>()));
  const auto zero = hn::Zero(d);
  PairSums<3> sums;
  Index done = for_vectors(d, 2 * rows, [&](Index entry, Index vectors) HWY_ATTR {
    auto s0 = zero, s1 = zero, s2 = zero;
    for (Index v = 0; v < vectors; ++v) {
      const Index e = entry + v * lanes;
      const auto difference = hn::Sub(hn::LoadU(d, g + e), hn::LoadU(d, w + e));
      hn::StoreU(difference, d, step + e);
      s0 = hn::MulAdd(difference, hn::LoadU(d, others[0] + e), s0);
      s1 = hn::MulAdd(difference, hn::LoadU(d, others[1] + e), s1);
      s2 = hn::MulAdd(difference, hn::LoadU(d, others[2] + e), s2);
    }
    sums.values[0] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s0)));
    sums.values[1] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s1)));
    sums.values[2] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, s2)));
  });
  for (; done < 2 * rows; ++done) {
    step[done] = g[done] - w[done];
    for (std::size_t i = 0; i < 3; ++i)
      sums.values[i] += static_cast<double>(step[done]) * static_cast<double>(others[i][done]);
  }
  return sums;
}

#define COPSE_DEFINE(T, name)                                                                                          \
  PairSums<4> sweep_items_##name(const SparseItems<T>& x, T* table, const TwoColumns<T>& solve, Index begin,           \
                                 Index end, T* h) {                                                                    \
    return sweep_items_of<T>(x, table, solve, begin, end, h);                                                          \
  }                                                                                                                    \
  PairSums<4> project_items_##name(const SparseItems<T>& x, T* table, Index begin, Index end, T* h) {                  \
    const auto same = [](T b1, T b2) { return typename TwoColumns<T>::Solution{b1, b2}; };                             \
    return sweep_items_of<T>(x, table, same, begin, end, h);                                                           \
  }                                                                                                                    \
  PairSums<3> gram_rows_##name(const T* w, Index rows) { return gram_rows_of<T>(w, rows); }                            \
  PairSums<4> solve_rows_##name(const T* y, const T* w, const TwoColumns<T>& solve, T a, T b, T c, Index rows, T* g) { \
    return solve_rows_of<T>(y, w, solve, a, b, c, rows, g);                                                            \
  }                                                                                                                    \
  PairSums<2> combine_rows_##name(const std::array<const T*, 3>& in, const std::array<T, 3>& weights, Index rows,      \
                                  T* out) {                                                                            \
    return combine_rows_of<T>(in, weights, rows, out);                                                                 \
  }                                                                                                                    \
  PairSums<3> step_rows_##name(const T* g, const T* w, const std::array<const T*, 3>& others, Index rows, T* step) {   \
    return step_rows_of<T>(g, w, others, rows, step);                                                                  \
  }
COPSE_DEFINE(float, float)
COPSE_DEFINE(double, double)
#undef COPSE_DEFINE

}  // namespace HWY_NAMESPACE
}  // namespace copse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {

#define COPSE_EXPORT(T, name)                                                                                        \
  HWY_EXPORT(sweep_items_##name);                                                                                    \
  HWY_EXPORT(project_items_##name);                                                                                  \
  HWY_EXPORT(gram_rows_##name);                                                                                      \
  HWY_EXPORT(solve_rows_##name);                                                                                     \
  HWY_EXPORT(combine_rows_##name);                                                                                   \
  HWY_EXPORT(step_rows_##name);                                                                                      \
  template <>                                                                                                        \
  PairSums<4> sweep_items(const SparseItems<T>& x, T* table, const TwoColumns<T>& solve, Index begin, Index end,     \
                          T* h) {                                                                                    \
    return HWY_DYNAMIC_DISPATCH(sweep_items_##name)(x, table, solve, begin, end, h);                                 \
  }                                                                                                                  \
  template <>                                                                                                        \
  PairSums<4> project_items(const SparseItems<T>& x, T* table, Index begin, Index end, T* h) {                       \
    return HWY_DYNAMIC_DISPATCH(project_items_##name)(x, table, begin, end, h);                                      \
  }                                                                                                                  \
  template <>                                                                                                        \
  PairSums<3> gram_rows(const T* w, Index rows) {                                                                    \
    return HWY_DYNAMIC_DISPATCH(gram_rows_##name)(w, rows);                                                          \
  }                                                                                                                  \
  template <>                                                                                                        \
  PairSums<4> solve_rows(const T* y, const T* w, const TwoColumns<T>& solve, T a, T b, T c, Index rows, T* g) {      \
    return HWY_DYNAMIC_DISPATCH(solve_rows_##name)(y, w, solve, a, b, c, rows, g);                                   \
  }                                                                                                                  \
  template <>                                                                                                        \
  PairSums<2> combine_rows(const std::array<const T*, 3>& in, const std::array<T, 3>& weights, Index rows, T* out) { \
    return HWY_DYNAMIC_DISPATCH(combine_rows_##name)(in, weights, rows, out);                                        \
  }                                                                                                                  \
  template <>                                                                                                        \
  PairSums<3> step_rows(const T* g, const T* w, const std::array<const T*, 3>& others, Index rows, T* step) {        \
    return HWY_DYNAMIC_DISPATCH(step_rows_##name)(g, w, others, rows, step);                                         \
  }                                                                                                                  \
  template <>                                                                                                        \
  void scale_rows(T first, T second, Index rows, T* pairs) {                                                         \
    for (Index i = 0; i < rows; ++i) pairs[2 * i] *= first, pairs[2 * i + 1] *= second;                              \
  }
COPSE_EXPORT(float, float)
COPSE_EXPORT(double, double)

}  // namespace copse
#endif
