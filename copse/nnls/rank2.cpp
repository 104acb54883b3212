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
#include "copse/nnls/two_columns-inl.h"
#include "hwy/highway.h"

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

template <class T>
HWY_INLINE void solve_vector(const VectorTwoColumns<double>& solve, const T* rhs, T* g) {
  Vector y1, y2, g1, g2;
  load_pairs(rhs, y1, y2);
  solve(y1, y2, g1, g2);
  store_pairs(g1, g2, g);
}

template <class T>
HWY_INLINE void solve_rows(const TwoColumns<double>& problem, const T* rhs, T* g, Index rows) {
  const VectorTwoColumns<double> solve(problem);
  const auto lanes = static_cast<Index>(hn::Lanes(Tag()));
  Index row = 0;
  for (; row + lanes <= rows; row += lanes) solve_vector(solve, rhs + 2 * row, g + 2 * row);
  if (row == rows) return;
  HWY_ALIGN T last[2 * HWY_MAX_BYTES / sizeof(double)] = {};
  std::copy_n(rhs + 2 * row, 2 * (rows - row), last);
  solve_vector(solve, last, last);
  std::copy_n(last, 2 * (rows - row), g + 2 * row);
}

void solve_rows_float(const TwoColumns<double>& problem, const float* rhs, float* g, Index rows) {
  solve_rows(problem, rhs, g, rows);
}
void solve_rows_double(const TwoColumns<double>& problem, const double* rhs, double* g, Index rows) {
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
  const TwoColumns<double> problem(gram(0, 0), gram(0, 1), gram(1, 1), dependence<T>);
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
