#include "copse/tree/support.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "copse/base/parallel.h"
#include "copse/tree/pair_rows.h"

namespace copse {
namespace {

// The items without support, and their squared norm.
template <class T>
double collect_unexplained(const NodeData<T>& x, const Rank2Result<T>& factors, SampledItems& items) {
  double sum = 0;
  const std::span<const double> norms = x.squared_norms();
  for (Index j = 0; j < x.items(); ++j) {
    const double h1 = static_cast<double>(factors.h(j, 0)), h2 = static_cast<double>(factors.h(j, 1));
    if (h1 * h1 + 2 * factors.inner * h1 * h2 + h2 * h2 > unexplained * norms[j] || norms[j] == 0) continue;
    items.items.push_back(static_cast<RowIndex>(j));
    items.factors.push_back(1);
    sum += norms[j];
  }
  return sum;
}

}  // namespace

template <class T>
std::optional<Matrix<T>> supported_start(const NodeData<T>& x, const Rank2Result<T>& factors, double& entries_read) {
  SampledItems rest;
  const double mass = collect_unexplained(x, factors, rest);
  if (mass == 0) return {};
  // Alone, a topic w explains sum_j (w'x_j)^2, where w1'x = h1 + (w1'w2) h2 if h1 > 0 and less otherwise.
  std::array<double, 2> alone{};
  for (Index j = 0; j < x.items(); ++j) {
    const double h1 = static_cast<double>(factors.h(j, 0)), h2 = static_cast<double>(factors.h(j, 1));
    alone[0] += (h1 + factors.inner * h2) * (h1 + factors.inner * h2);
    alone[1] += (h2 + factors.inner * h1) * (h2 + factors.inner * h1);
  }
  const int kept = alone[1] > alone[0];
  const double lost = std::max(0.0, factors.fitted - alone[kept]);
  // No singular value is larger than the norm.
  if (mass <= lost + worthwhile * factors.fitted) return {};

  const auto part = x.part(rest);
  Sweep<T> sweep{.h = Matrix<T>(part->items(), 2), .xh = {}, .hh = {}};
  std::ranges::fill(sweep.h.values(), T(1));
  part->spread(sweep);
  Matrix<T> v;
  double value = 0;
  for (int step = 0; step < power_steps; ++step) {
    check_cancelled();
    const PairGram squares = pair_gram(sweep.xh);
    if (!(squares.a > 0)) return {};
    v = Matrix<T>(sweep.xh.rows(), 2);
    add_product(sweep.xh, {1 / std::sqrt(squares.a), 0, 0, 1 / std::sqrt(squares.c)}, v);
    part->project(v, sweep);
    value = sweep.hh.a;  // |X'v|^2, from below
  }
  entries_read += (power_steps + 1) * static_cast<double>(part->entries());
  if (value <= lost + worthwhile * factors.fitted) return {};
  Matrix<T> w(factors.w.rows(), 2);
  for (Index i = 0; i < w.rows(); ++i) w(i, kept) = factors.w(i, kept);
  for (Index i = 0; i < v.rows(); ++i) w(part->terms()[i], 1 - kept) = v(i, 0);
  return w;
}

#define COPSE_INSTANTIATE(T) \
  template std::optional<Matrix<T>> supported_start(const NodeData<T>&, const Rank2Result<T>&, double&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
