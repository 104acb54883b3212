#include "copse/nnls/passive_set.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace copse {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

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
      dependence_(dependence<T>),
      gradient_tolerance_(gradient_noise<T>),
      words_per_row_((rhs.cols() + 63) / 64),
      words_(static_cast<std::size_t>((end - begin) * words_per_row_)) {
  for (Index row = 0; row < rows(); ++row) {
    for (Index c = 0; c < cols(); ++c) {
      rhs_(row, c) = static_cast<double>(rhs(begin + row, c)) * gram.scale[static_cast<std::size_t>(c)];
      gradient_(row, c) = -rhs_(row, c);
    }
  }
}

template <class T>
void PassiveBlock::start_from(const Matrix<T>& g, Index begin) {
  for (Index row = 0; row < rows(); ++row) {
    for (Index c = 0; c < cols(); ++c) {
      const double scale = gram_.scale[static_cast<std::size_t>(c)];
      if (!(g(begin + row, c) > T(0)) || scale == 0) continue;
      set_passive(row, c, true);
      solution_(row, c) = static_cast<double>(g(begin + row, c)) / scale;
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
  using Eigen::Map;
  using Eigen::VectorXd;
  const Index k = cols();
  std::vector<Index> set;
  for (Index c = 0; c < k; ++c) {
    if (passive(rows.front(), c)) set.push_back(c);
  }
  const auto size = static_cast<Index>(set.size());
  const Map<const RowMajor> gram(gram_.values.data(), k, k);

  // gram(set, set) = U'U; the rows of U that belong to dependent columns are not used.
  RowMajor u(size, size);
  for (Index a = 0; a < size; ++a) {
    for (Index b = a; b < size; ++b) u(a, b) = gram(set[static_cast<std::size_t>(a)], set[static_cast<std::size_t>(b)]);
  }
  std::vector<Index> kept;
  for (Index a = 0; a < size; ++a) {
    if (!(u(a, a) > dependence_)) {
      for (Index row : rows) set_passive(row, set[static_cast<std::size_t>(a)], false);
      continue;
    }
    kept.push_back(a);
    u.row(a).tail(size - a) /= std::sqrt(u(a, a));
    for (Index b = a + 1; b < size; ++b) u.row(b).tail(size - b) -= u(a, b) * u.row(a).tail(size - b);
  }

  VectorXd x(size);
  for (Index row : rows) {
    const Map<const VectorXd> rhs(rhs_.row(row).data(), k);
    Map<VectorXd> solution(solution_.row(row).data(), k);
    Map<VectorXd> gradient(gradient_.row(row).data(), k);
    for (Index a = 0; a < size; ++a) x(a) = rhs(set[static_cast<std::size_t>(a)]);
    for (Index a : kept) {
      x(a) /= u(a, a);
      x.tail(size - a - 1) -= x(a) * u.row(a).tail(size - a - 1).transpose();
    }
    solution.setZero();
    gradient = -rhs;
    Index next = size;
    for (auto place = kept.rbegin(); place != kept.rend(); ++place) {
      const Index a = *place;
      x.segment(a + 1, next - a - 1).setZero();  // dependent columns
      x(a) = (x(a) - u.row(a).tail(size - a - 1).dot(x.tail(size - a - 1))) / u(a, a);
      const Index c = set[static_cast<std::size_t>(a)];
      solution(c) = x(a);
      gradient += x(a) * gram.row(c).transpose();
      next = a;
    }
  }
}

void PassiveBlock::clear(Index row) {
  for (Index c = 0; c < cols(); ++c) set_passive(row, c, false);
  std::ranges::fill(solution_.row(row), 0.0);
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
  template void PassiveBlock::start_from(const Matrix<T>&, Index);                        \
  template void PassiveBlock::store(Matrix<T>&, Index) const;
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
