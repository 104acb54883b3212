// Least squares on several subsets of the columns at a time, one subset per lane of a vector: what the exact solvers
// spend their time in.
#pragma once

#include <cstdint>
#include <span>

#include "copse/base/buffer.h"
#include "copse/base/index.h"

namespace copse {

// The columns of a group of rows that share their passive set, ascending, and its rows.
struct PassiveGroup {
  std::span<const Index> columns;
  std::span<const Index> rows;
};

// Rows of a block, each `stride` apart; coordinates k and up are zero in all of them. gram is (k + 1) x stride with
// zeros in row k. Bit c of row r stands in words[r * words_per_row + c / 64].
struct PassiveRows {
  Index k;
  Index stride;  // a multiple of passive_padding, more than k
  const double* gram;
  const double* rhs;
  double* solution;
  double* gradient;
  double* tolerance;  // one per row: below minus this a component of the gradient is negative, not rounded
  std::uint64_t* passive;
  std::uint64_t* infeasible;
  Index words_per_row;
  double dependence;
  double gradient_noise;
};

inline constexpr Index passive_padding = 8;

// Memory that one call leaves to the next.
struct PassiveScratch {
  Buffer<double> numbers;
  Buffer<Index> columns;
};

// How many groups are solved at a time.
Index groups_at_once();

// For each of at most groups_at_once() groups, best of similar size, with one Cholesky factor each: the minimiser with
// zeros outside the set of its rows, the gradient, its tolerance, and which coordinates are infeasible (negative, or
// outside the set with a negative gradient). A column that depends on earlier ones leaves the set of all rows.
void solve_groups(const PassiveRows& block, std::span<const PassiveGroup> groups, PassiveScratch& scratch);

}  // namespace copse
