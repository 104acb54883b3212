#include <algorithm>
#include <cassert>
#include <cmath>

#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"
#include "copse/nnls/passive_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/nnls/rank2.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per instruction set.
#include "hwy/highway.h"

#ifndef COPSE_NNLS_RANK2_ONCE_
#define COPSE_NNLS_RANK2_ONCE_
namespace copse {

// What all rows share. Columns are scaled to norm 1, so that u = y'b1, v = y'b2 and cosine = b1'b2.
struct Rank2Problem {
  double scale1 = 0;  // 1 / |b1|, or 0
  double scale2 = 0;
  double cosine = 0;
  double inverse = 0;  // 1 / (1 - cosine^2); 0 if the columns are parallel
  double bias = 1;     // the first column alone is taken when u >= bias v
};

}  // namespace copse
#endif

HWY_BEFORE_NAMESPACE();
namespace copse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;
using FloatTag = hn::Rebind<float, Tag>;
using Vector = hn::Vec<Tag>;

HWY_INLINE void load_pairs(const double* from, Vector& first, Vector& second) {
  hn::LoadInterleaved2(Tag(), from, first, second);
}
HWY_INLINE void load_pairs(const float* from, Vector& first, Vector& second) {
  hn::Vec<FloatTag> a, b;
  hn::LoadInterleaved2(FloatTag(), from, a, b);
  first = hn::PromoteTo(Tag(), a);
  second = hn::PromoteTo(Tag(), b);
}
HWY_INLINE void store_pairs(Vector first, Vector second, double* to) {
  hn::StoreInterleaved2(first, second, Tag(), to);
}
HWY_INLINE void store_pairs(Vector first, Vector second, float* to) {
  hn::StoreInterleaved2(hn::DemoteTo(FloatTag(), first), hn::DemoteTo(FloatTag(), second), FloatTag(), to);
}

// Thesis, algorithm 5, for right-hand sides of any sign: outside the quadrant the minimum lies on one of its edges,
// at max(0, u) or max(0, v), and the longer of the two fits better (thesis (57)).
template <class T>
HWY_INLINE void solve_vector(const Rank2Problem& problem, const T* rhs, T* g) {
  const Tag d;
  const auto zero = hn::Zero(d);
  const auto scale1 = hn::Set(d, problem.scale1);
  const auto scale2 = hn::Set(d, problem.scale2);
  const auto cosine = hn::Set(d, problem.cosine);
  Vector u, v;
  load_pairs(rhs, u, v);
  u = hn::Mul(u, scale1);
  v = hn::Mul(v, scale2);
  const auto x1 = hn::NegMulAdd(cosine, v, u);
  const auto x2 = hn::NegMulAdd(cosine, u, v);
  const auto inverse = hn::Set(d, problem.inverse);
  const auto inside = hn::And(hn::Gt(inverse, zero), hn::And(hn::Ge(x1, zero), hn::Ge(x2, zero)));
  const auto edge1 = hn::Max(zero, u);
  const auto edge2 = hn::Max(zero, v);
  const auto first = hn::Ge(edge1, hn::Mul(edge2, hn::Set(d, problem.bias)));
  const auto g1 = hn::IfThenElse(inside, hn::Mul(x1, inverse), hn::IfThenElseZero(first, edge1));
  const auto g2 = hn::IfThenElse(inside, hn::Mul(x2, inverse), hn::IfThenZeroElse(first, edge2));
  store_pairs(hn::Mul(g1, scale1), hn::Mul(g2, scale2), g);
}

template <class T>
HWY_INLINE void solve_rows(const Rank2Problem& problem, const T* rhs, T* g, Index rows) {
  const auto lanes = static_cast<Index>(hn::Lanes(Tag()));
  Index row = 0;
  for (; row + lanes <= rows; row += lanes) solve_vector(problem, rhs + 2 * row, g + 2 * row);
  if (row == rows) return;
  HWY_ALIGN T last[2 * HWY_MAX_BYTES / sizeof(double)] = {};
  std::copy_n(rhs + 2 * row, 2 * (rows - row), last);
  solve_vector(problem, last, last);
  std::copy_n(last, 2 * (rows - row), g + 2 * row);
}

void solve_rows_float(const Rank2Problem& problem, const float* rhs, float* g, Index rows) {
  solve_rows(problem, rhs, g, rows);
}
void solve_rows_double(const Rank2Problem& problem, const double* rhs, double* g, Index rows) {
  solve_rows(problem, rhs, g, rows);
}

}  // namespace copse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {
namespace {

constexpr Index rows_per_block = 8192;

HWY_EXPORT(solve_rows_float);
HWY_EXPORT(solve_rows_double);

auto dispatch(float) { return HWY_DYNAMIC_DISPATCH(solve_rows_float); }
auto dispatch(double) { return HWY_DYNAMIC_DISPATCH(solve_rows_double); }

}  // namespace

template <class T>
void solve_rank2(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g) {
  assert(gram.rows() == 2 && gram.cols() == 2 && rhs.cols() == 2);
  const ScaledGram scaled(gram);
  Rank2Problem problem{.scale1 = scaled.scale[0], .scale2 = scaled.scale[1], .cosine = scaled.values(0, 1)};
  const double squared_sine = (1 - problem.cosine) * (1 + problem.cosine);
  if (squared_sine > dependence<T>) {
    problem.inverse = 1 / squared_sine;
  } else {
    problem.bias = 0.5;  // u = v but for rounding: the first column, unless it points away from y
  }
  const auto solve_rows = dispatch(T(0));
  g.reshape(rhs.rows(), 2);
  parallel_blocks(rhs.rows(), rows_per_block, [&](Index begin, Index end) {
    solve_rows(problem, rhs.data() + 2 * begin, g.data() + 2 * begin, end - begin);
  });
}

template void solve_rank2(const Matrix<double>&, const Matrix<float>&, Matrix<float>&);
template void solve_rank2(const Matrix<double>&, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
#endif
