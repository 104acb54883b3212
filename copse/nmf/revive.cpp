#include "copse/nmf/revive.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/kernels/gram.h"

namespace copse {
namespace {

constexpr int power_steps = 3;
constexpr Index rows_per_block = 1024;

// F'v: the sum of the factor's rows weighted by v.
template <class T>
std::vector<double> weighted_row_sum(const Data<T>& x, const Matrix<T>& factor, const Matrix<T>& weights) {
  const auto k = static_cast<std::size_t>(factor.cols());
  std::vector<double> total(k, 0.0);
  std::vector<std::vector<double>> parts(
      (static_cast<std::size_t>(factor.rows()) + rows_per_block - 1) / rows_per_block, total);
  parallel_blocks(factor.rows(), rows_per_block, [&](Index begin, Index end) {
    auto& part = parts[static_cast<std::size_t>(begin / rows_per_block)];
    for (Index i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < k; ++c) part[c] += static_cast<double>(factor.row(i)[c]) * weights(i, 0);
    }
  });
  for (const auto& part : parts) {
    for (std::size_t c = 0; c < k; ++c) total[c] += part[c];
  }
  x.sum(total);
  return total;
}

// column = max(0, column - factor * sums), without what `component` contributes.
template <class T>
void subtract_and_clip(const Matrix<T>& factor, std::vector<double> sums, Index component, Matrix<T>& column) {
  sums[static_cast<std::size_t>(component)] = 0;
  parallel_blocks(factor.rows(), rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      double rest = column(i, 0);
      for (std::size_t c = 0; c < sums.size(); ++c) rest -= static_cast<double>(factor.row(i)[c]) * sums[c];
      column(i, 0) = static_cast<T>(std::max(0.0, rest));
    }
  });
}

template <class T>
double squared_length(const Data<T>& x, const Matrix<T>& column) {
  double square = dot(column, column);
  x.sum({&square, 1});
  return square;
}

template <class T>
void multiply(Matrix<T>& column, double factor) {
  for (T& value : column.values()) value = static_cast<T>(value * factor);
}

}  // namespace

template <class T>
bool revive_component(const Data<T>& x, Factors<T>& factors, Index component, double norm, double squared_error,
                      double least_gain, std::uint64_t seed) {
  Matrix<T> u, v(factors.h.rows(), 1);
  for (Index j = 0; j < v.rows(); ++j) v(j, 0) = static_cast<T>(Random(seed, static_cast<std::uint64_t>(j)).uniform());
  for (int step = 0; step < power_steps; ++step) {
    x.times(v, u);
    subtract_and_clip(factors.w, weighted_row_sum(x, factors.h, v), component, u);
    const double square = squared_length(x, u);
    if (square == 0) return false;
    multiply(u, 1 / std::sqrt(square));
    x.transpose_times(u, v);
    subtract_and_clip(factors.h, weighted_row_sum(x, factors.w, u), component, v);
  }
  // With |u| = 1, v is the best h >= 0 for u, and u v' takes |v|^2 off the squared error.
  if (!(squared_length(x, v) > least_gain * squared_error)) return false;
  for (Index i = 0; i < u.rows(); ++i) factors.w(i, component) = static_cast<T>(u(i, 0) * norm);
  for (Index j = 0; j < v.rows(); ++j) factors.h(j, component) = static_cast<T>(v(j, 0) / norm);
  return true;
}

template bool revive_component(const Data<float>&, Factors<float>&, Index, double, double, double, std::uint64_t);
template bool revive_component(const Data<double>&, Factors<double>&, Index, double, double, double, std::uint64_t);

}  // namespace copse
