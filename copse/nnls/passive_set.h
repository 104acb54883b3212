// Least squares on subsets of the columns, for a block of rows with a subset ("passive set") each: what the exact
// solvers share. Variables are scaled so that every column of B has norm 1; a zero column stays zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/matrix/dense.h"
#include "copse/nnls/passive_solve.h"

namespace copse {

// A column of norm 1 whose squared distance from the span of others is no more depends on them. The right-hand sides
// are known to the precision of T only: noise e in them moves the solution by e / d, and the objective by e^2 / d,
// along a direction in which gram is d; so float takes a wider d than double.
template <class T>
inline constexpr double dependence = sizeof(T) == sizeof(float) ? 1e-9 : 1e-13;

// A gradient of this size, relative to right-hand side and solution, has no sign.
template <class T>
inline constexpr double gradient_noise = sizeof(T) == sizeof(float) ? 1e-6 : 1e-12;

struct ScaledGram {
  explicit ScaledGram(const Matrix<double>& gram);

  Matrix<double> values;      // D gram D with D = diag(gram)^(-1/2), padded with zeros as PassiveRows wants it
  std::vector<double> scale;  // the diagonal of D; 0 for a zero column
};

class PassiveBlock {
 public:
  template <class T>
  PassiveBlock(const ScaledGram& gram, const Matrix<T>& rhs, Index begin, Index end);

  // Takes the positive entries of g as passive sets and, scaled, as solutions. Without it both are empty.
  template <class T>
  void start_from(const Matrix<T>& g, Index begin);
  void clear(Index row);

  Index rows() const { return rhs_.rows(); }
  Index cols() const { return k_; }

  bool passive(Index row, Index c) const { return (passive_[word(row, c)] >> (c % 64)) & 1; }
  void set_passive(Index row, Index c, bool value);

  // The minimiser with zeros outside the passive set, and the gradient there, of each of these rows. Rows with the same
  // set share one Cholesky factor. A column that depends on earlier ones of its set leaves the set.
  void solve(std::span<const Index> rows);

  // As the last solve left them.
  std::span<double> solution(Index row) { return solution_.row(row).first(static_cast<std::size_t>(k_)); }
  std::span<const double> gradient(Index row) const { return gradient_.row(row).first(static_cast<std::size_t>(k_)); }
  // Below minus this a component of the gradient of the row is negative, not rounded.
  double gradient_tolerance(Index row) const { return tolerance_[static_cast<std::size_t>(row)]; }
  // Bits of the coordinates that are negative, or outside the passive set with a negative gradient.
  std::span<const std::uint64_t> infeasible(Index row) const { return {&infeasible_[word(row, 0)], words_per_row_}; }
  std::span<std::uint64_t> passive_words(Index row) { return {&passive_[word(row, 0)], words_per_row_}; }

  // Writes the solutions, unscaled.
  template <class T>
  void store(Matrix<T>& g, Index begin) const;

 private:
  std::size_t word(Index row, Index c) const {
    return static_cast<std::size_t>(row) * words_per_row_ + static_cast<std::size_t>(c / 64);
  }

  const ScaledGram& gram_;
  Index k_;
  Matrix<double> rhs_;
  Matrix<double> solution_;
  Matrix<double> gradient_;
  std::vector<double> tolerance_;
  double dependence_;
  double gradient_noise_;
  std::size_t words_per_row_;
  std::vector<std::uint64_t> passive_;
  std::vector<std::uint64_t> infeasible_;
  PassiveScratch scratch_;
};

// Active set steps for these rows of the block until they are solved, from their solutions, which must be feasible.
void finish_by_active_set(PassiveBlock& block, std::vector<Index> rows);

}  // namespace copse
