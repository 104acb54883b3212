#include "copse/nnls/passive_set.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace copse {
namespace {

// More than k: PassiveRows wants a coordinate that is zero.
Index padded(Index k) { return (k / passive_padding + 1) * passive_padding; }

}  // namespace

ScaledGram::ScaledGram(const Matrix<double>& gram) : values(gram.rows() + 1, padded(gram.rows())) {
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
      k_(rhs.cols()),
      rhs_(end - begin, padded(k_)),
      solution_(end - begin, padded(k_)),
      gradient_(end - begin, padded(k_)),
      tolerance_(static_cast<std::size_t>(end - begin)),
      dependence_(dependence<T>),
      gradient_noise_(gradient_noise<T>),
      words_per_row_(static_cast<std::size_t>((k_ + 63) / 64)),
      passive_(static_cast<std::size_t>(end - begin) * words_per_row_),
      infeasible_(passive_.size()) {
  for (Index row = 0; row < rows(); ++row) {
    for (Index c = 0; c < k_; ++c)
      rhs_(row, c) = static_cast<double>(rhs(begin + row, c)) * gram.scale[static_cast<std::size_t>(c)];
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
  std::uint64_t& bits = passive_[word(row, c)];
  bits = value ? bits | bit : bits & ~bit;
}

void PassiveBlock::solve(std::span<const Index> rows) {
  struct Sorted {
    int size;
    std::span<const std::uint64_t> words;
    Index row;
  };
  std::vector<Sorted> sorted;
  sorted.reserve(rows.size());
  for (Index row : rows) {
    const auto words = passive_words(row);
    int size = 0;
    for (std::uint64_t bits : words) size += std::popcount(bits);
    sorted.push_back({size, words, row});
  }
  // By size, since the groups that are solved together should be equally large.
  std::sort(sorted.begin(), sorted.end(), [](const Sorted& a, const Sorted& b) {
    return a.size != b.size ? a.size < b.size : std::ranges::lexicographical_compare(a.words, b.words);
  });

  std::vector<Index> columns, members;
  columns.reserve(static_cast<std::size_t>(groups_at_once() * k_));
  members.reserve(rows.size());
  std::vector<PassiveGroup> groups;
  const PassiveRows block{.k = k_,
                          .stride = rhs_.cols(),
                          .gram = gram_.values.data(),
                          .rhs = rhs_.data(),
                          .solution = solution_.data(),
                          .gradient = gradient_.data(),
                          .tolerance = tolerance_.data(),
                          .passive = passive_.data(),
                          .infeasible = infeasible_.data(),
                          .words_per_row = static_cast<Index>(words_per_row_),
                          .dependence = dependence_,
                          .gradient_noise = gradient_noise_};
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first + 1;
    while (last < sorted.size() && std::ranges::equal(sorted[first].words, sorted[last].words)) ++last;
    const std::size_t columns_before = columns.size(), members_before = members.size();
    for (Index c = 0; c < k_; ++c) {
      if (passive(sorted[first].row, c)) columns.push_back(c);
    }
    for (std::size_t i = first; i < last; ++i) members.push_back(sorted[i].row);
    groups.push_back({std::span(columns).subspan(columns_before), std::span(members).subspan(members_before)});
    first = last;
    if (static_cast<Index>(groups.size()) < groups_at_once() && first < sorted.size()) continue;
    solve_groups(block, groups, scratch_);
    groups.clear();
    columns.clear();
    members.clear();
  }
}

void PassiveBlock::clear(Index row) {
  for (Index c = 0; c < cols(); ++c) set_passive(row, c, false);
  std::ranges::fill(solution_.row(row), 0.0);
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
