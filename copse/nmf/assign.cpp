#include "copse/nmf/assign.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/matrix/more_of_data.h"
#include "copse/nmf/scaled_data.h"
#include "copse/nnls/divergence.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index items_per_block = 4096;
constexpr int most_rounds = 1000;

void check_features(const char* what, Index found, Index expected) {
  if (found != expected)
    throw InvalidArgument(std::string(what) + " has " + std::to_string(found) + " features, the data " +
                          std::to_string(expected) + ".");
}

void check_penalty(std::span<const double> penalty, Index k) {
  if (penalty.empty()) return;
  if (static_cast<Index>(penalty.size()) != k)
    throw InvalidArgument("There are " + std::to_string(penalty.size()) + " penalties for " + std::to_string(k) +
                          " components.");
  for (const double weight : penalty) {
    if (!(std::isfinite(weight) && weight >= 0))
      throw InvalidArgument("A penalty is " + std::to_string(weight) + "; it must be a number that is not negative.");
  }
}

// min |X - w0 1' - W H|^2 + sum_j (penalty'h_j)^2 for an X that T holds well.
template <class T>
Matrix<T> solve(const Data<T>& x, const Matrix<T>& w, std::span<const T> baseline, std::span<const double> penalty) {
  const Index k = w.cols();
  Matrix<T> rhs, h;
  x.transpose_times(w, rhs);
  if (!baseline.empty()) {
    // W'(x - w0) = W'x - W'w0
    std::vector<double> shift(static_cast<std::size_t>(k), 0.0);
    for (Index i = 0; i < w.rows(); ++i) {
      for (Index c = 0; c < k; ++c) shift[c] += static_cast<double>(w(i, c)) * static_cast<double>(baseline[i]);
    }
    parallel_blocks(rhs.rows(), items_per_block, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        for (Index c = 0; c < k; ++c) rhs(j, c) = static_cast<T>(static_cast<double>(rhs(j, c)) - shift[c]);
      }
    });
  }
  // W'W + v v'
  Matrix<double> penalized = gram(w);
  for (Index a = 0; a < k && !penalty.empty(); ++a) {
    for (Index b = 0; b < k; ++b) penalized(a, b) += penalty[a] * penalty[b];
  }
  solve_pivoting(penalized, rhs, h);
  return h;
}

}  // namespace

template <class T>
Matrix<T> assign_items(const Data<T>& x, const Matrix<T>& w, std::span<const T> baseline,
                       std::span<const double> penalty) {
  check_features("The model", w.rows(), x.rows());
  if (!baseline.empty()) check_features("The baseline", static_cast<Index>(baseline.size()), x.rows());
  check_penalty(penalty, w.cols());
  const int exponent = exponent_of_norm(x);
  if (is_moderate<T>(exponent)) return solve(x, w, baseline, penalty);
  std::vector<T> scaled(baseline.begin(), baseline.end());
  scale_by_power<T>(scaled, -exponent);
  Matrix<T> h = solve<T>(ScaledData<T>(x, exponent), w, scaled, penalty);
  scale_by_power(h.values(), exponent);
  return h;
}

template <class T>
Matrix<T> assign_items_by_divergence(const Data<T>& x, const Matrix<T>& w) {
  check_features("The model", w.rows(), x.rows());
  const int exponent = exponent_of_norm(x);
  if (!is_moderate<T>(exponent)) {
    Matrix<T> h = assign_items_by_divergence<T>(ScaledData<T>(x, exponent), w);
    scale_by_power(h.values(), exponent);
    return h;
  }
  const Index k = w.cols();
  std::vector<double> sums(static_cast<std::size_t>(k), 0.0);
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index c = 0; c < k; ++c) sums[c] += static_cast<double>(w(i, c));
  }
  const double sum_of_w = std::accumulate(sums.begin(), sums.end(), 0.0);
  Matrix<T> h(x.cols(), k);
  visit_blocks(x, [&](Index first, const SparseView<T>& block) {
    const auto entries = block.values.subspan(static_cast<std::size_t>(block.offsets.front()),
                                              static_cast<std::size_t>(block.nonzeros()));
    const double total = std::accumulate(entries.begin(), entries.end(), 0.0);
    if (total == 0 || sum_of_w == 0) return;
    // (1'W) h = 1'x at the minimum.
    T* rows = h.data() + first * k;
    for (Index j = 0; j < block.cols; ++j) {
      double sum = 0;
      for (Index e = block.offsets[j]; e < block.offsets[j + 1]; ++e) sum += block.values[e];
      std::fill_n(rows + j * k, k, static_cast<T>(sum / sum_of_w));
    }
    const double floor = 0x1p-23 * total / (static_cast<double>(block.cols) * static_cast<double>(x.rows()));
    const double enough = (sizeof(T) == sizeof(float) ? 1e-6 : 1e-10) * total;
    for (int round = 0; round < most_rounds; ++round) {
      if (update_divergence(DivergenceMethod::coordinate, 1, block, w, sums, floor, rows).decrease <= enough) break;
    }
  });
  return h;
}

#define COPSE_INSTANTIATE(T)                                                       \
  template Matrix<T> assign_items_by_divergence(const Data<T>&, const Matrix<T>&); \
  template Matrix<T> assign_items(const Data<T>&, const Matrix<T>&, std::span<const T>, std::span<const double>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
