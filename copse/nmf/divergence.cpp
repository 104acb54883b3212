#include "copse/nmf/divergence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <valarray>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/matrix/more_of_data.h"
#include "copse/nmf/stop_after.h"
#include "copse/nnls/divergence.h"

namespace copse {
namespace {

constexpr Index columns_per_block = 64;
constexpr Index divergence_rows_per_block = 512;
// The coordinate method gives the first component of a random start all that it can take, and the last ones die with
// nothing left to explain. Multiplicative updates move all components together until they differ.
constexpr int gentle_iterations = 10;
constexpr double like_this = 10;           // iterations, see NmfOptions::tolerance
constexpr double floor_of_mean = 0x1p-23;  // of the mean entry: as far as float tells numbers apart

template <class T>
SparseView<T> columns(const SparseMatrix<T>& x, Index begin, Index end) {
  const std::span<const Index> offsets(x.offsets);
  return {x.rows, end - begin,
          offsets.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin + 1)), x.indices,
          x.values};
}

// X as one matrix in compressed columns, from its blocks.
template <class T>
SparseMatrix<T> gathered(const Data<T>& x) {
  SparseMatrix<T> all{.rows = x.rows(), .cols = x.cols()};
  all.offsets.assign(static_cast<std::size_t>(x.cols() + 1), 0);
  visit_blocks(x, [&](Index first, const SparseView<T>& block) {
    for (Index j = 0; j < block.cols; ++j) all.offsets[first + j + 1] = block.offsets[j + 1] - block.offsets[j];
  });
  std::partial_sum(all.offsets.begin(), all.offsets.end(), all.offsets.begin());
  all.indices.resize(static_cast<std::size_t>(all.offsets.back()));
  all.values.resize(all.indices.size());
  visit_blocks(x, [&](Index first, const SparseView<T>& block) {
    const auto from = static_cast<std::size_t>(block.offsets.front());
    const auto count = static_cast<std::size_t>(block.nonzeros());
    std::ranges::copy(block.indices.subspan(from, count), all.indices.begin() + all.offsets[first]);
    std::ranges::copy(block.values.subspan(from, count), all.values.begin() + all.offsets[first]);
  });
  return all;
}

template <class T>
std::vector<double> column_sums(const Matrix<T>& f) {
  const std::valarray<double> zero(0.0, static_cast<std::size_t>(f.cols()));
  const auto sums = sum_blocks(f.rows(), divergence_rows_per_block, zero, [&](Index begin, Index end) {
    std::valarray<double> part = zero;
    for (Index i = begin; i < end; ++i) {
      for (Index c = 0; c < f.cols(); ++c) part[c] += static_cast<double>(f(i, c));
    }
    return part;
  });
  return {std::begin(sums), std::end(sums)};
}

}  // namespace

// With row sums r and column sums c, the best W H of rank one is r c' / sum(X): D = sum x log(x sum(X) / (r_i c_j)).
template <class T>
DivergenceData<T>::DivergenceData(const Data<T>& x) : x_(x) {
  const SparseMatrix<T> all = gathered(x);
  transposed_ = transpose<T>(all);
  const auto sums_of = [](const SparseMatrix<T>& columns) {
    std::vector<double> sums(static_cast<std::size_t>(columns.cols), 0.0);
    for (Index j = 0; j < columns.cols; ++j) {
      for (Index e = columns.offsets[j]; e < columns.offsets[j + 1]; ++e)
        sums[j] += static_cast<double>(columns.values[e]);
    }
    return sums;
  };
  const std::vector<double> item_sums = sums_of(all), feature_sums = sums_of(transposed_);
  total_ = std::accumulate(item_sums.begin(), item_sums.end(), 0.0);
  for (Index j = 0; j < all.cols; ++j) {
    for (Index e = all.offsets[j]; e < all.offsets[j + 1]; ++e) {
      const double value = all.values[e];
      if (value > 0) independent_ += value * std::log(value / feature_sums[all.indices[e]] * (total_ / item_sums[j]));
    }
  }
  independent_ = std::max(0.0, independent_);
  floor_ = floor_of_mean * total_ / (static_cast<double>(x.rows()) * static_cast<double>(x.cols()));
}

template <class T>
Run<T> alternate_by_divergence(const DivergenceData<T>& data, const NmfOptions& options, Factors<T> start,
                               std::chrono::steady_clock::time_point began) {
  const Data<T>& x = data.x();
  const Index k = options.rank;
  const int gentle = options.solver == Solver::mu ? options.max_iterations : gentle_iterations;
  Run<T> run;
  Factors<T>& kept = run.factors;
  kept = std::move(start);
  Matrix<T> next;
  for (int number = 1;; ++number) {
    const auto method = number <= gentle ? DivergenceMethod::multiplicative : DivergenceMethod::coordinate;
    try {
      next = kept.h;
      std::vector<DivergenceSums> parts(static_cast<std::size_t>(x.cols()));
      const std::vector<double> w_sums = column_sums(kept.w);
      visit_blocks(x, [&](Index first, const SparseView<T>& block) {
        parts[static_cast<std::size_t>(first)] =
            update_divergence(method, 1, block, kept.w, w_sums, data.floor(), next.data() + first * k);
      });
      double decrease = 0;
      for (const DivergenceSums& part : parts) decrease += part.decrease;
      const std::vector<double> h_sums = column_sums(next);
      Matrix<T> w = kept.w;
      const DivergenceSums sums =
          sum_blocks(w.rows(), columns_per_block, DivergenceSums{}, [&](Index begin, Index end) {
            return update_divergence(method, 1, columns(data.transposed(), begin, end), next, h_sums, data.floor(),
                                     w.data() + begin * k);
          });
      const std::vector<double> new_sums = column_sums(w);
      // sum (W H) = (1'W)(H 1)
      run.objective = std::max(
          0.0, sums.logs - data.total() + std::inner_product(new_sums.begin(), new_sums.end(), h_sums.begin(), 0.0));
      std::swap(kept.h, next);
      std::swap(kept.w, w);
      decrease += sums.decrease;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      run.history.push_back(
          {.number = number,
           .relative_error = data.independent() > 0 ? run.objective / data.independent() : 0,
           .projected_gradient_ratio = data.independent() > 0 ? like_this * decrease / data.independent() : 0,
           .seconds = seconds});
    } catch (const Cancelled&) {
      if (number == 1) throw;
      run.stop_reason = StopReason::interrupted;
      return run;
    }
    const Iteration& latest = run.history.back();
    // The slow first steps of components that are still alike are no end.
    const bool may_end = options.solver == Solver::mu || number > gentle || latest.projected_gradient_ratio == 0;
    std::optional<StopReason> ended;
    if (may_end && latest.projected_gradient_ratio <= options.tolerance) {
      ended = StopReason::converged;
    } else if (number >= options.max_iterations) {
      ended = StopReason::max_iterations;
    }
    if (const auto reason = stop_after(latest, options, ended)) {
      run.stop_reason = *reason;
      return run;
    }
  }
}

template <class T>
double relative_divergence(const Data<T>& x, const Matrix<T>& w, const Matrix<T>& h) {
  const DivergenceData<T> data(x);
  if (!(data.independent() > 0)) return 0;
  const Index k = w.cols();
  std::vector<double> logs(static_cast<std::size_t>(x.cols()), 0.0);  // of an item
  visit_blocks(x, [&](Index first, const SparseView<T>& block) {
    for (Index j = 0; j < block.cols; ++j) {
      const T* coefficients = h.row(first + j).data();
      for (Index e = block.offsets[j]; e < block.offsets[j + 1]; ++e) {
        const double value = block.values[e];
        if (!(value > 0)) continue;
        const T* row = w.row(block.indices[e]).data();
        double product = 0;
        for (Index c = 0; c < k; ++c) product += static_cast<double>(row[c]) * static_cast<double>(coefficients[c]);
        logs[static_cast<std::size_t>(first + j)] += value * std::log(value / std::max(product, data.floor()));
      }
    }
  });
  const std::vector<double> w_sums = column_sums(w), h_sums = column_sums(h);
  const double divergence = std::accumulate(logs.begin(), logs.end(), 0.0) - data.total() +
                            std::inner_product(w_sums.begin(), w_sums.end(), h_sums.begin(), 0.0);
  return std::max(0.0, divergence) / data.independent();
}

#define COPSE_INSTANTIATE(T)                                                                       \
  template double relative_divergence(const Data<T>&, const Matrix<T>&, const Matrix<T>&);         \
  template class DivergenceData<T>;                                                                \
  template Run<T> alternate_by_divergence(const DivergenceData<T>&, const NmfOptions&, Factors<T>, \
                                          std::chrono::steady_clock::time_point);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
