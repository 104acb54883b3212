#include "copse/nnls/passive_set.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace copse {
namespace {

// The right-hand sides are known to the precision of T only. Noise e in them moves the solution along a direction in
// which gram is d by e / d and the objective by e^2 / d: float takes a wider d for "dependent" than double.
template <class T>
constexpr bool is_float = sizeof(T) == sizeof(float);

}  // namespace

ScaledGram::ScaledGram(const Matrix<double>& gram) : values(gram.rows(), gram.rows()) {
  const Index k = gram.rows();
  for (Index c = 0; c < k; ++c) scale.push_back(gram(c, c) > 0 ? 1 / std::sqrt(gram(c, c)) : 0);
  for (Index c = 0; c < k; ++c) {
    for (Index d = 0; d < k; ++d)
      values(c, d) = scale[static_cast<std::size_t>(c)] * gram(c, d) * scale[static_cast<std::size_t>(d)];
  }
}

template <class T>
PassiveBlock::PassiveBlock(const ScaledGram& gram, const Matrix<T>& rhs, Index begin, Index end)
    : gram_(gram),
      rhs_(end - begin, rhs.cols()),
      solution_(end - begin, rhs.cols()),
      gradient_(end - begin, rhs.cols()),
      dependence_(is_float<T> ? 1e-9 : 1e-13),
      gradient_tolerance_(is_float<T> ? 1e-6 : 1e-12),
      words_per_row_((rhs.cols() + 63) / 64),
      words_(static_cast<std::size_t>((end - begin) * words_per_row_)) {
  for (Index row = 0; row < rows(); ++row) {
    for (Index c = 0; c < cols(); ++c) {
      rhs_(row, c) = static_cast<double>(rhs(begin + row, c)) * gram.scale[static_cast<std::size_t>(c)];
      gradient_(row, c) = -rhs_(row, c);
    }
  }
}

void PassiveBlock::set_passive(Index row, Index c, bool value) {
  const std::uint64_t bit = std::uint64_t{1} << (c % 64);
  words_[word(row, c)] = value ? words_[word(row, c)] | bit : words_[word(row, c)] & ~bit;
}

void PassiveBlock::solve(std::span<const Index> rows) {
  const auto words = [&](Index row) {
    return std::span(&words_[word(row, 0)], static_cast<std::size_t>(words_per_row_));
  };
  std::vector<Index> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end(),
            [&](Index a, Index b) { return std::ranges::lexicographical_compare(words(a), words(b)); });
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first + 1;
    while (last < sorted.size() && std::ranges::equal(words(sorted[first]), words(sorted[last]))) ++last;
    solve_group(std::span(sorted).subspan(first, last - first));
    first = last;
  }
}

void PassiveBlock::solve_group(std::span<const Index> rows) {
  const Index k = cols();
  Matrix<double> factor(k, k);  // lower triangle, the rows of the columns kept
  std::vector<Index> kept;
  for (Index c = 0; c < k; ++c) {
    if (!passive(rows.front(), c)) continue;
    const Index size = static_cast<Index>(kept.size());
    double pivot = gram_.values(c, c);
    for (Index a = 0; a < size; ++a) {
      double entry = gram_.values(c, kept[static_cast<std::size_t>(a)]);
      for (Index b = 0; b < a; ++b) entry -= factor(a, b) * factor(size, b);
      factor(size, a) = entry / factor(a, a);
      pivot -= factor(size, a) * factor(size, a);
    }
    if (!(pivot > dependence_)) {
      for (Index row : rows) set_passive(row, c, false);
      continue;
    }
    factor(size, size) = std::sqrt(pivot);
    kept.push_back(c);
  }
  const Index size = static_cast<Index>(kept.size());
  std::vector<double> x(kept.size());
  for (Index row : rows) {
    for (Index a = 0; a < size; ++a) {
      double sum = rhs_(row, kept[static_cast<std::size_t>(a)]);
      for (Index b = 0; b < a; ++b) sum -= factor(a, b) * x[static_cast<std::size_t>(b)];
      x[static_cast<std::size_t>(a)] = sum / factor(a, a);
    }
    for (Index a = size - 1; a >= 0; --a) {
      double sum = x[static_cast<std::size_t>(a)];
      for (Index b = a + 1; b < size; ++b) sum -= factor(b, a) * x[static_cast<std::size_t>(b)];
      x[static_cast<std::size_t>(a)] = sum / factor(a, a);
    }
    for (Index c = 0; c < k; ++c) {
      solution_(row, c) = 0;
      gradient_(row, c) = -rhs_(row, c);
    }
    for (Index a = 0; a < size; ++a) {
      const Index d = kept[static_cast<std::size_t>(a)];
      solution_(row, d) = x[static_cast<std::size_t>(a)];
      for (Index c = 0; c < k; ++c) gradient_(row, c) += gram_.values(d, c) * x[static_cast<std::size_t>(a)];
    }
  }
}

double PassiveBlock::gradient_tolerance(Index row) const {
  double largest = 0;
  for (double value : rhs_.row(row)) largest = std::max(largest, std::abs(value));
  for (double value : solution_.row(row)) largest = std::max(largest, std::abs(value));
  return gradient_tolerance_ * largest;
}

template <class T>
void PassiveBlock::store(Matrix<T>& g, Index begin) const {
  for (Index row = 0; row < rows(); ++row) {
    for (Index c = 0; c < cols(); ++c)
      g(begin + row, c) = static_cast<T>(std::max(0.0, solution_(row, c)) * gram_.scale[static_cast<std::size_t>(c)]);
  }
}

#define COPSE_INSTANTIATE(T)                                                              \
  template PassiveBlock::PassiveBlock(const ScaledGram&, const Matrix<T>&, Index, Index); \
  template void PassiveBlock::store(Matrix<T>&, Index) const;
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
