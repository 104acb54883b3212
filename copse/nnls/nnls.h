// Nonnegative least squares: min |B g - y|, g >= 0, for many right-hand sides y at once, of any sign.
// Every solver needs only the Gram matrix B'B (k x k) and the products B'y. Row r of `rhs` is (B'y_r)', row r of `g`
// its solution; `g` holds the start on entry where a solver uses one.
#pragma once

#include <vector>

#include "copse/matrix/dense.h"

namespace copse {

// The exact solvers meet the KKT conditions to the precision of T: relative to |b_c| |y|, 1e-9 (double) or 1e-5
// (float). A singular Gram matrix is no error. A column that depends on others in use is left at zero, the minimum is
// reached all the same; which of several minimisers it is depends on the order of the columns (earlier ones are
// preferred) and on the start. A zero column gets zero.

// Exact: two columns, closed form [Kuang 2014, algorithm 4 and 5]. Takes no start.
template <class T>
void solve_rank2(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g);

// Exact: active set for many right-hand sides, grouped by passive set (Kim and Park 2008). If g has the shape of rhs
// its positive entries are the start: from the solution of a problem close by few steps are left. Else it is reshaped.
template <class T>
void solve_active_set(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g);

// Exact: block principal pivoting with the backup rule, grouped by passive set (Kim and Park 2011). Starts as above.
template <class T>
void solve_pivoting(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g);

// To a tolerance: projected gradient with Armijo search (Lin 2007), from g, for blocks of rows that share their steps.
// Works on columns scaled to norm 1, so that their scale does not matter. A zero column gets zero.
struct ProjectedGradientOptions {
  double tolerance = 1e-3;  // stop when |projected gradient| <= tolerance * its first value, in each block
  int max_iterations = 1000;
};
template <class T>
void solve_projected_gradient(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g,
                              const ProjectedGradientOptions& options = {});

// Coordinate descent sweeps (HALS / RRI) over every row, from g: coordinate c becomes its minimiser given the others,
// max(0, g_c + (rhs_c - gram(c, :) g) / gram(c, c)). A zero column (gram(c, c) = 0) gets zero.
struct HalsOptions {
  int sweeps = 1;         // at most
  double min_change = 0;  // stop early when a sweep moves a block of rows by less than this share of its first sweep
};
template <class T>
void sweep_hals(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g, const HalsOptions& options = {});

// One multiplicative update of every entry of g (Lee and Seung): g * max(0, rhs) / (gram g), with 0 / 0 = 0. Zeros
// stay.
template <class T>
void update_multiplicative(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g);

// Squared norm of the projected gradient gram * g - rhs, one sum per coordinate: where g is zero only the negative
// part counts [Kuang 2014, eq. 9]. Zero everywhere exactly when g meets the KKT conditions.
template <class T>
std::vector<double> squared_projected_gradient(const Matrix<double>& gram, const Matrix<T>& rhs, const Matrix<T>& g);

}  // namespace copse
