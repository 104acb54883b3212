#include "copse/cluster/separable_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index columns_per_task = 256;

Matrix<double> with_column(const Matrix<double>& f, Index rows, std::span<const double> column) {
  Matrix<double> wider(rows, f.cols() + 1);
  for (Index i = 0; i < rows; ++i) {
    if (f.cols() > 0) std::ranges::copy(f.row(i), wider.row(i).begin());
    wider(i, f.cols()) = column.empty() ? 0 : column[i];
  }
  return wider;
}

}  // namespace

template <class T>
Columns::Columns(SparseView<T> given) {
  x.rows = given.rows;
  x.cols = given.cols;
  x.offsets.assign(given.offsets.begin(), given.offsets.end());
  const Index first = x.offsets.front();
  for (Index& offset : x.offsets) offset -= first;
  x.indices.assign(given.indices.begin() + first, given.indices.begin() + first + given.nonzeros());
  x.values.assign(given.values.begin() + first, given.values.begin() + first + given.nonzeros());
  for (const double value : x.values) {
    if (!(std::isfinite(value) && value >= 0))
      throw InvalidArgument("A separable factorization needs entries that are finite and not negative.");
  }
  // One scale for all: sums of squares stay in range, and anchors do not depend on it.
  const double largest = x.values.empty() ? 0 : std::ranges::max(x.values);
  if (largest > 0) {
    const int exponent = std::ilogb(largest);
    for (double& value : x.values) value = std::ldexp(value, -exponent);
  }
  squares.resize(static_cast<std::size_t>(x.cols));
  sums.resize(squares.size());
  for (Index j = 0; j < x.cols; ++j) {
    for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) {
      squares[j] += x.values[p] * x.values[p];
      sums[j] += x.values[p];
    }
  }
  squared_norm = std::accumulate(squares.begin(), squares.end(), 0.0);
}

std::vector<double> Columns::dense(Index j) const {
  std::vector<double> column(static_cast<std::size_t>(x.rows));
  for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) column[x.indices[p]] = x.values[p];
  return column;
}

std::vector<double> Columns::products(std::span<const double> v) const {
  std::vector<double> out(static_cast<std::size_t>(x.cols));
  parallel_blocks(x.cols, columns_per_task, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      double sum = 0;
      for (Index p = x.offsets[j]; p < x.offsets[j + 1]; ++p) sum += x.values[p] * v[x.indices[p]];
      out[j] = sum;
    }
  });
  return out;
}

// Whoever is stopped in the middle keeps the anchors of before.
void AnchorFit::add(Index anchor) {
  std::vector<Index> anchors = anchors_;
  anchors.push_back(anchor);
  Matrix<double> c = with_column(c_, columns_.count(), columns_.products(columns_.dense(anchor)));
  Matrix<double> h = with_column(h_, columns_.count(), {});
  const auto k = static_cast<Index>(anchors.size());
  Matrix<double> gram(k, k);
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < k; ++b) gram(a, b) = c(anchors[std::max(a, b)], std::min(a, b));
  }
  solve_pivoting(gram, c, h);
  std::swap(anchors_, anchors);
  std::swap(c_, c);
  std::swap(h_, h);
}

std::vector<double> AnchorFit::squared_residuals() const {
  const auto k = static_cast<Index>(anchors_.size());
  std::vector<double> squares = columns_.squares;
  parallel_blocks(columns_.count(), columns_per_task, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      double change = 0;
      for (Index a = 0; a < k; ++a) {
        double fitted = 0;
        for (Index b = 0; b < k; ++b) fitted += c_(anchors_[a], b) * h_(j, b);
        change += h_(j, a) * (fitted - 2 * c_(j, a));
      }
      // What is left of a difference of equal numbers is round-off.
      const double left = squares[j] + change;
      squares[j] = left > 1e-12 * squares[j] ? left : 0;
    }
  });
  return squares;
}

double AnchorFit::relative_error() const {
  if (columns_.squared_norm == 0) return 0;
  const std::vector<double> left = squared_residuals();
  return std::sqrt(std::accumulate(left.begin(), left.end(), 0.0) / columns_.squared_norm);
}

template Columns::Columns(SparseView<float>);
template Columns::Columns(SparseView<double>);

}  // namespace copse
