// SymNMF as NNLS problems: min |A - C B'|^2 + alpha |C - B|^2 + beta (sum |b_i|_1^2 + |c_i|_1^2), [Kuang 2014, eq.
// 22-23].
#include <algorithm>
#include <cmath>
#include <limits>

#include "copse/base/parallel.h"
#include "copse/graph/sym_step.h"
#include "copse/kernels/gram.h"
#include "copse/nmf/momentum.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index entries_per_block = 16384;
constexpr double growth = 1.01;      // [Kuang 2014, section 3.6.3]
constexpr double negligible = 1e-8;  // |C - B| / |B|: alpha has grown enough
constexpr int max_doublings = 40;    // of alpha, where a sweep raised the objective

template <class T>
class AlternatingStep : public SymStep<T> {
 public:
  AlternatingStep(const SymProblem<T>& problem, const SymNmfOptions& options)
      : problem_(problem),
        solver_(options.solver),
        alpha_(options.alpha > 0 ? options.alpha : problem.largest),
        beta_(options.beta),
        momentum_(options.solver == SymSolver::hals && options.extrapolate && options.beta == 0) {}

  bool advance(SymPoint<T>& now) override {
    return solver_ == SymSolver::hals && beta_ == 0 ? advance_down(now) : advance_exactly(now);
  }

 private:
  // [Kuang 2014, algorithm 2]: C <- B, then B anew.
  bool advance_exactly(SymPoint<T>& now) {
    Matrix<T> next = now.b;
    solve(now, next);
    const double change = distance(next, now.b);
    now.b = std::move(next);
    problem_.evaluate(now);
    double square = 0;
    for (Index c = 0; c < now.gram.rows(); ++c) square += now.gram(c, c);
    if (solver_ == SymSolver::anls_growing && change >= negligible * std::sqrt(square)) alpha_ *= growth;
    return change > 0;
  }

  // A sweep, and where it leads when it runs ahead. The objective never rises: without momentum a sweep with a large
  // enough alpha lowers it, so alpha is doubled where one did not.
  bool advance_down(SymPoint<T>& now) {
    // The objective is a difference of sums as large as |A|^2. Where it no longer tells, plain sweeps still converge.
    const double round_off = 32 * std::numeric_limits<T>::epsilon() * problem_.squared_norm;
    SymPoint<T> next;
    next.b = now.b;
    solve(now, next.b);
    const double length = momentum_.length();
    if (length > 0) {
      SymPoint<T> ahead{.b = swept_};
      run_ahead(next.b, ahead.b, length);
      problem_.evaluate(ahead);
      if (ahead.objective < now.objective - round_off) {
        momentum_.fell();
        swept_ = std::move(next.b);
        now = std::move(ahead);
        return true;
      }
      momentum_.rose();
    } else {
      momentum_.fell();
    }
    for (int doubling = 0; doubling < max_doublings; ++doubling) {
      problem_.evaluate(next);
      if (next.objective <= now.objective + round_off) {
        swept_ = next.b;
        now = std::move(next);
        return true;
      }
      alpha_ *= 2;
      next.b = now.b;
      solve(now, next.b);
    }
    return false;
  }

  // B'B + alpha I + beta 11' and A B + alpha B, never the stacked matrix.
  void solve(const SymPoint<T>& now, Matrix<T>& next) const {
    Matrix<double> gram = now.gram;
    const Index k = gram.rows();
    for (Index c = 0; c < k; ++c) {
      gram(c, c) += alpha_;
      for (Index d = 0; d < k; ++d) gram(c, d) += beta_;
    }
    Matrix<T> rhs = now.product;
    parallel_blocks(static_cast<Index>(rhs.values().size()), entries_per_block, [&](Index begin, Index end) {
      for (Index e = begin; e < end; ++e) rhs.data()[e] += static_cast<T>(alpha_) * now.b.data()[e];
    });
    if (solver_ == SymSolver::hals) {
      sweep_hals(gram, rhs, next);
    } else {
      solve_pivoting(gram, rhs, next);
    }
  }

  // y = max(0, now + length (now - before)), where y holds `before` on entry.
  static void run_ahead(const Matrix<T>& now, Matrix<T>& y, double length) {
    parallel_blocks(static_cast<Index>(y.values().size()), entries_per_block, [&](Index begin, Index end) {
      const T factor = static_cast<T>(length);
      for (Index e = begin; e < end; ++e) {
        const T value = now.data()[e];
        y.data()[e] = std::max(T(0), value + factor * (value - y.data()[e]));
      }
    });
  }

  static double distance(const Matrix<T>& a, const Matrix<T>& b) {
    return std::sqrt(
        sum_blocks(static_cast<Index>(a.values().size()), entries_per_block, 0.0, [&](Index begin, Index end) {
          double sum = 0;
          for (Index e = begin; e < end; ++e) {
            const double difference = static_cast<double>(a.data()[e]) - static_cast<double>(b.data()[e]);
            sum += difference * difference;
          }
          return sum;
        }));
  }

  const SymProblem<T>& problem_;
  const SymSolver solver_;
  double alpha_;
  const double beta_;
  Momentum momentum_;
  Matrix<T> swept_;  // the latest B before it ran ahead
};

}  // namespace

template <class T>
std::unique_ptr<SymStep<T>> alternating_step(const SymProblem<T>& problem, const SymNmfOptions& options) {
  return std::make_unique<AlternatingStep<T>>(problem, options);
}

template std::unique_ptr<SymStep<float>> alternating_step(const SymProblem<float>&, const SymNmfOptions&);
template std::unique_ptr<SymStep<double>> alternating_step(const SymProblem<double>&, const SymNmfOptions&);

}  // namespace copse
