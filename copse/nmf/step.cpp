#include "copse/nmf/step.h"

#include <algorithm>

#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index step_rows_per_block = 512;
constexpr double min_sweep_change = 0.01;  // Gillis & Glineur 2012, section 3.2

template <class T>
void solve(const StepOptions& options, const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g) {
  switch (options.solver) {
    case Solver::hals:
      return sweep_hals(gram, rhs, g, {.sweeps = options.sweeps, .min_change = min_sweep_change});
    case Solver::mu:
      return update_multiplicative(gram, rhs, g);
    case Solver::active_set:
      return g.cols() == 2 ? solve_rank2(gram, rhs, g) : solve_active_set(gram, rhs, g);
    case Solver::pivoting:
      return g.cols() == 2 ? solve_rank2(gram, rhs, g) : solve_pivoting(gram, rhs, g);
    case Solver::projected_gradient:
      return solve_projected_gradient(gram, rhs, g);
  }
}

// Column c of `from` into column c of `to`.
template <class T>
void copy_column(const Matrix<T>& from, Matrix<T>& to, Index c) {
  for (Index i = 0; i < to.rows(); ++i) to(i, c) = from(i, c);
}

// The first k coordinates, given the last: gram is cut to k x k and rhs becomes rhs_c - gram_c,k g_k.
template <class T>
void solve_without_last(const StepOptions& options, const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g) {
  const Index k = g.cols() - 1;
  Matrix<double> small_gram(k, k);
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < k; ++b) small_gram(a, b) = gram(a, b);
  }
  Matrix<T> small_rhs(g.rows(), k);
  Matrix<T> small_g(g.rows(), k);
  parallel_blocks(g.rows(), step_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (Index c = 0; c < k; ++c) {
        small_rhs(i, c) = static_cast<T>(rhs(i, c) - gram(c, k) * g(i, k));
        small_g(i, c) = g(i, c);
      }
    }
  });
  solve(options, small_gram, small_rhs, small_g);
  for (Index c = 0; c < k; ++c) copy_column(small_g, g, c);
}

}  // namespace

template <class T>
void update_factor(const StepOptions& options, const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g) {
  if (!options.last_fixed) return solve(options, gram, rhs, g);
  if (options.solver != Solver::mu) return solve_without_last(options, gram, rhs, g);
  // rhs_c - gram_c,k g_k may be negative, which the multiplicative update does not take. It moves every entry from the
  // old values of all, so the last one can be put back afterwards.
  Matrix<T> last(g.rows(), g.cols());
  copy_column(g, last, g.cols() - 1);
  solve(options, gram, rhs, g);
  copy_column(last, g, g.cols() - 1);
}

int sweeps_that_pay(Index nonzeros, Index inner, Index outer, Index k) {
  const double product = static_cast<double>(nonzeros) + static_cast<double>(inner) * static_cast<double>(k);
  const double sweep = static_cast<double>(outer) * static_cast<double>(k + 1);
  return static_cast<int>(std::clamp(1 + 0.5 * product / sweep, 1.0, 10.0));
}

template void update_factor(const StepOptions&, const Matrix<double>&, const Matrix<float>&, Matrix<float>&);
template void update_factor(const StepOptions&, const Matrix<double>&, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
