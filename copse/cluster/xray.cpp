#include <algorithm>
#include <cmath>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/stopwatch.h"
#include "copse/cluster/separable.h"
#include "copse/cluster/separable_fit.h"
#include "copse/nmf/stop_after.h"

namespace copse {
namespace {

constexpr Index xray_columns_per_task = 64;

// For every column q: sum over p of max(0, x_p'x_q - f_p'g_q)^2. With f = H' and g = X'X(:, A) that is |(R'x_q)_+|^2,
// the other way round |(X'r_q)_+|^2. f and g are not negative, so only pairs of columns that share a row count.
std::vector<double> positive_squares(const Columns& columns, const SparseMatrix<double>& rows, const Matrix<double>& f,
                                     const Matrix<double>& g) {
  const Index k = f.cols();
  std::vector<double> squares(static_cast<std::size_t>(columns.count()));
  parallel_blocks(columns.count(), xray_columns_per_task, [&](Index begin, Index end) {
    std::vector<double> products(static_cast<std::size_t>(columns.count()), 0);
    std::vector<RowIndex> touched;
    for (Index q = begin; q < end; ++q) {
      for (Index e = columns.x.offsets[q]; e < columns.x.offsets[q + 1]; ++e) {
        const Index row = columns.x.indices[e];
        const double value = columns.x.values[e];
        for (Index p = rows.offsets[row]; p < rows.offsets[row + 1]; ++p) {
          if (products[rows.indices[p]] == 0) touched.push_back(rows.indices[p]);
          products[rows.indices[p]] += value * rows.values[p];
        }
      }
      std::ranges::sort(touched);
      double sum = 0;
      for (const RowIndex p : touched) {
        double value = products[p];
        products[p] = 0;
        for (Index a = 0; a < k; ++a) value -= f(p, a) * g(q, a);
        if (value > 0) sum += value * value;
      }
      squares[q] = sum;
      touched.clear();
    }
  });
  return squares;
}

Index largest(const std::vector<double>& values) {
  return static_cast<Index>(std::ranges::max_element(values) - values.begin());
}

// The columns' scores; a column that cannot be chosen has -1.
std::vector<double> scores(const Columns& columns, const SparseMatrix<double>& rows, const AnchorFit& fit,
                           XraySelection selection) {
  const std::vector<double> left = fit.squared_residuals();
  std::vector<double> score(static_cast<std::size_t>(columns.count()), 0);
  const Matrix<double> none(columns.count(), 0);
  const Matrix<double>& h = fit.anchors().empty() ? none : fit.coefficients();
  const Matrix<double>& c = fit.anchors().empty() ? none : fit.products();
  if (selection == XraySelection::rays || selection == XraySelection::greedy) {
    score = positive_squares(columns, rows, h, c);
    for (Index j = 0; j < columns.count(); ++j) {
      const double by = selection == XraySelection::greedy ? columns.squares[j] : columns.sums[j] * columns.sums[j];
      score[j] = columns.squares[j] > 0 ? score[j] / by : -1;
    }
  } else {
    std::vector<double> outside = left;
    if (selection == XraySelection::dist) {
      outside = positive_squares(columns, rows, c, h);
      for (Index j = 0; j < columns.count(); ++j) outside[j] = left[j] > 0 ? outside[j] : 0;
    }
    const Index i = largest(outside);
    std::vector<double> residual = columns.dense(i);
    for (std::size_t a = 0; a < fit.anchors().size(); ++a) {
      const double coefficient = h(i, static_cast<Index>(a));
      const Index anchor = fit.anchors()[a];
      for (Index p = columns.x.offsets[anchor]; p < columns.x.offsets[anchor + 1]; ++p) {
        residual[columns.x.indices[p]] -= coefficient * columns.x.values[p];
      }
    }
    score = columns.products(residual);
    for (Index j = 0; j < columns.count(); ++j) score[j] = columns.sums[j] > 0 ? score[j] / columns.sums[j] : -1;
  }
  // What the anchors express already is no new ray.
  for (Index j = 0; j < columns.count(); ++j) {
    if (left[j] == 0) score[j] = -1;
  }
  for (const Index anchor : fit.anchors()) score[anchor] = -1;
  return score;
}

}  // namespace

template <class T>
SeparableResult<T> xray(SparseView<T> x, const SeparableOptions& options) {
  const Stopwatch watch;
  if (options.anchors < 1) throw InvalidArgument("The number of anchors must be at least 1.");
  const Columns columns(x);
  const SparseMatrix<double> rows = transpose<double>(columns.x);
  AnchorFit fit(columns);
  SeparableResult<T> result;
  try {
    while (static_cast<Index>(fit.anchors().size()) < options.anchors && columns.count() > 0) {
      const std::vector<double> score = scores(columns, rows, fit, options.selection);
      const Index next = largest(score);
      if (!(score[next] > 0)) break;  // nothing is left
      fit.add(next);
      const SeparableIteration latest{static_cast<int>(fit.anchors().size()), fit.relative_error(), watch.seconds()};
      result.history.push_back(latest);
      const bool is_last = static_cast<Index>(fit.anchors().size()) == options.anchors;
      const auto reason = stop_after(latest, options, is_last ? std::optional(StopReason::converged) : std::nullopt);
      if (reason) {
        result.stop_reason = *reason;
        break;
      }
    }
  } catch (const Cancelled&) {
    if (fit.anchors().empty()) throw;
    result.stop_reason = StopReason::interrupted;
  }
  result.anchors = fit.anchors();
  result.h = Matrix<T>(columns.count(), static_cast<Index>(result.anchors.size()));
  if (!result.anchors.empty()) {
    std::ranges::transform(fit.coefficients().values(), result.h.values().begin(),
                           [](double value) { return static_cast<T>(value); });
  }
  result.relative_error = result.history.empty() ? 0 : result.history.back().relative_error;
  return result;
}

template SeparableResult<float> xray(SparseView<float>, const SeparableOptions&);
template SeparableResult<double> xray(SparseView<double>, const SeparableOptions&);

}  // namespace copse
