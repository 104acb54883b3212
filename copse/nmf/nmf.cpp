#include "copse/nmf/nmf.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/memory.h"
#include "copse/base/parallel.h"
#include "copse/nmf/alternation.h"
#include "copse/nmf/breathe.h"
#include "copse/nmf/divergence.h"
#include "copse/nmf/factors.h"
#include "copse/nmf/sample_start.h"
#include "copse/nmf/scaled_data.h"
#include "copse/nmf/start.h"

namespace copse {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index entries_to_give_back = 4'000'000;  // a sample of less is small, and thousands of small fits would wait

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw InvalidArgument(otherwise);
}

template <class T>
void check(const Data<T>& x, const NmfOptions& options) {
  const Whole whole = x.whole();
  const Index most = std::min(whole.rows, whole.cols);
  require(options.rank >= 1 && options.rank <= most, "The rank must be between 1 and " + std::to_string(most) +
                                                         ", the smaller side of the " + std::to_string(whole.rows) +
                                                         " x " + std::to_string(whole.cols) + " matrix, not " +
                                                         std::to_string(options.rank) + ".");
  const auto shown = [](double value) { return std::to_string(value); };
  require(options.start != Start::sample || options.solver != Solver::mu,
          "The multiplicative update keeps the zeros of a start from a sample; begin it with random factors.");
  require(options.runs >= 1, "The number of runs must be at least 1, not " + std::to_string(options.runs) + ".");
  require(options.max_iterations >= 1,
          "The limit of iterations must be at least 1, not " + std::to_string(options.max_iterations) + ".");
  require(options.tolerance >= 0, "The tolerance must not be negative; it is " + shown(options.tolerance) + ".");
  require(options.time_limit > 0, "The time limit must be positive; it is " + shown(options.time_limit) + ".");
  require(std::isfinite(options.alpha) && options.alpha >= 0,
          "The weight alpha must be a number that is not negative; it is " + shown(options.alpha) + ".");
  require(std::isfinite(options.beta) && options.beta >= 0,
          "The weight beta must be a number that is not negative; it is " + shown(options.beta) + ".");
  if (options.loss == Loss::kullback_leibler) {
    require(options.alpha == 0 && options.beta == 0 && !options.affine,
            "The Kullback-Leibler loss has neither penalties (alpha, beta) nor a baseline (affine).");
    require(options.solver == Solver::hals || options.solver == Solver::mu,
            "The Kullback-Leibler loss has the solvers hals and mu.");
    require(
        options.start != Start::sample && options.start != Start::nndsvd,
        "The Kullback-Leibler loss is infinite where a start leaves zeros; begin with random, nndsvda or nndsvdar.");
  }
  // One factor would shrink for ever while the other grows, and nothing else would change.
  require(
      (options.alpha > 0) == (options.beta > 0),
      "The weights alpha of W and beta of H work together: one of them alone moves the scale from one factor to the "
      "other for ever. Set both, or none.");
}

template <class T>
void check_given(const Matrix<T>& factor, const std::string& name, Index rows, Index rank) {
  const auto shape = [](Index a, Index b) { return std::to_string(a) + " x " + std::to_string(b); };
  require(factor.rows() == rows && factor.cols() == rank,
          "The given " + name + " must be " + shape(rows, rank) + ", not " + shape(factor.rows(), factor.cols()) + ".");
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < rank; ++c) {
      if (std::isfinite(factor(i, c)) && factor(i, c) >= 0) continue;
      throw InvalidArgument("The given " + name + " has " + std::to_string(factor(i, c)) + " at row " +
                            std::to_string(i + 1) + ", column " + std::to_string(c + 1) +
                            "; its entries must be finite and not negative.");
    }
  }
}

template <class T>
void require_in_range(T value) {
  require(std::isfinite(value),
          "The coefficients of an item are larger than the largest number of this precision; "
          "scale the data down, or ask for double precision.");
}

template <class T>
Factors<T> make_start(const Data<T>& x, const NmfOptions& options, int run) {
  const std::uint64_t seed = seed_of_run(options.seed, run);
  if (options.loss == Loss::kullback_leibler) return plain_start(x, options, seed);
  if (!starts_from_sample(options)) return plain_start(x, options, seed);
  Factors<T> start = sample_start(x, options, seed);
  if (x.nonzeros() >= entries_to_give_back) give_back_memory();
  return start;
}

template <class T>
Matrix<T> first_columns(Matrix<T> f, Index count) {
  if (f.cols() == count) return f;
  Matrix<T> out(f.rows(), count);
  for (Index i = 0; i < f.rows(); ++i) std::ranges::copy(f.row(i).first(count), out.row(i).begin());
  return out;
}

// Takes the baseline apart and scales the columns of W to unit norm; a component that is zero in one factor is zero
// in both.
template <class T>
void finish(const Data<T>& x, const NmfOptions& options, Factors<T> factors, NmfResult<T>& result) {
  const Index k = options.rank;
  const Index m = factors.w.rows();
  if (options.affine) {
    result.baseline.resize(static_cast<std::size_t>(m));
    for (Index i = 0; i < m; ++i) result.baseline[i] = factors.w(i, k);
  }
  const std::vector<double> norms = scale_to_unit_columns(x, factors, k);
  if (options.beta > 0) {
    for (const double norm : norms) result.penalty.push_back(norm > 0 ? std::sqrt(options.beta) / norm : 0);
  }
  result.w = first_columns(std::move(factors.w), k);
  result.h = first_columns(std::move(factors.h), k);
}

// The run as the result.
template <class T>
void take(const Data<T>& x, const NmfOptions& options, Run<T> run, NmfResult<T>& result) {
  result.stop_reason = run.stop_reason;
  result.objective = run.objective;
  result.relative_error = run.history.back().relative_error;
  result.projected_gradient_ratio = run.history.back().projected_gradient_ratio;
  result.history = std::move(run.history);
  // What was found before a run was asked to stop is kept.
  with_threads(thread_count(), nullptr, [&] { finish(x, options, std::move(run.factors), result); });
}

// Runs from the start that make(run) gives, and keeps the run with the least objective.
template <class T, class Make>
NmfResult<T> best_run(const Data<T>& x, const NmfOptions& options, const Course& course, const Make& make) {
  std::unique_ptr<DivergenceData<T>> divergence;
  if (options.loss == Loss::kullback_leibler) divergence = std::make_unique<DivergenceData<T>>(x);
  const Clock::time_point began = Clock::now();
  NmfResult<T> result;
  Run<T> best;
  for (int r = 0; r < options.runs; ++r) {
    Run<T> run;
    try {
      run = divergence ? alternate_by_divergence(*divergence, options, make(r), began)
                       : alternate(x, options, make(r), began, course);
    } catch (const Cancelled&) {
      if (r == 0) throw;
      best.stop_reason = StopReason::interrupted;
      break;
    }
    const StopReason reason = run.stop_reason;
    result.run_errors.push_back(run.history.back().relative_error);
    if (r == 0 || run.objective < best.objective) {
      best = std::move(run);
      result.best_run = r;
    }
    if (reason == StopReason::interrupted || reason == StopReason::time_limit) {
      best.stop_reason = reason;
      break;
    }
  }
  take(x, options, std::move(best), result);
  return result;
}

// The factors of X / 2^exponent as those of X: W stays.
template <class T>
void scale_back(NmfResult<T>& result, Loss loss, int exponent) {
  scale_by_power(result.h.values(), exponent);
  scale_by_power<T>(result.baseline, exponent);
  result.objective = std::ldexp(result.objective, loss == Loss::frobenius ? 2 * exponent : exponent);
  for (const T value : result.h.values()) require_in_range(value);
  for (const T value : result.baseline) require_in_range(value);
}

// Runs `factor` on X at a scale that T holds well. |X - W H|^2 and |H|^2 change by the square of the scale and |W|^2
// does not, so that alpha changes with it and beta stays.
template <class T, class Factor>
NmfResult<T> at_moderate_scale(const Data<T>& x, const NmfOptions& options, const Factor& factor) {
  const int exponent = exponent_of_norm(x);
  if (is_moderate<T>(exponent)) return factor(x, options, 0);
  NmfOptions scaled = options;
  scaled.alpha = std::ldexp(options.alpha, -2 * exponent);
  NmfResult<T> result = factor(ScaledData<T>(x, exponent), scaled, exponent);
  with_threads(thread_count(), nullptr, [&] { scale_back(result, options.loss, exponent); });
  return result;
}

template <class T>
NmfResult<T> run_from_own_start(const Data<T>& x, const NmfOptions& options) {
  const Course course{.breathes = starts_from_sample(options) && can_breathe(x, options)};
  return best_run(x, options, course, [&](int run) { return make_start(x, options, run); });
}

template <class T>
NmfResult<T> run_from_given(const Data<T>& x, const NmfOptions& options, Matrix<T> w, Matrix<T> h) {
  return best_run(x, options, {}, [&](int) {
    Factors<T> start{std::move(w), std::move(h)};
    if (options.affine) append_baseline(x, start);
    return start;
  });
}

}  // namespace

template <class T>
NmfResult<T> factorize(const Data<T>& x, const NmfOptions& options) {
  check(x, options);
  return at_moderate_scale(
      x, options, [](const Data<T>& scaled, const NmfOptions& with, int) { return run_from_own_start(scaled, with); });
}

template <class T>
std::vector<NmfResult<T>> factorize_together(const Data<T>& x, std::span<const NmfOptions> options) {
  for (const NmfOptions& one : options) check(x, one);
  const bool is_possible = can_alternate_together(x) && is_moderate<T>(exponent_of_norm(x));
  const auto goes_along = [&](const NmfOptions& one) {
    return is_possible && one.loss == Loss::frobenius && one.runs == 1 && !starts_from_sample(one);
  };
  std::vector<NmfResult<T>> results(options.size());
  std::vector<std::size_t> places;
  std::vector<NmfOptions> together;
  std::vector<Factors<T>> starts;
  const Clock::time_point began = Clock::now();
  for (std::size_t f = 0; f < options.size(); ++f) {
    if (goes_along(options[f])) {
      places.push_back(f);
      together.push_back(options[f]);
      starts.push_back(make_start(x, options[f], 0));
    } else {
      results[f] = factorize(x, options[f]);
    }
  }
  if (places.empty()) return results;
  std::vector<Run<T>> runs = alternate_together<T>(x, together, std::move(starts), began);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    NmfResult<T>& result = results[places[r]];
    result.run_errors.push_back(runs[r].history.back().relative_error);
    take(x, together[r], std::move(runs[r]), result);
  }
  return results;
}

template <class T>
NmfResult<T> factorize(const Data<T>& x, const NmfOptions& options, Matrix<T> w, Matrix<T> h) {
  check(x, options);
  require(options.start == Start::automatic, "The factors are given; there is no other start to choose.");
  check_given(w, "W", x.rows(), options.rank);
  check_given(h, "H'", x.cols(), options.rank);
  require(options.runs == 1, "A given start allows one run, not " + std::to_string(options.runs) + ".");
  return at_moderate_scale(x, options, [&](const Data<T>& scaled, const NmfOptions& with, int exponent) {
    scale_by_power(h.values(), -exponent);
    return run_from_given(scaled, with, std::move(w), std::move(h));
  });
}

SparseWeights thesis_sparse_weights(double largest_entry) {
  return {.alpha = largest_entry * largest_entry, .beta = 0.01};
}

SparseWeights snmf_sparse_weights(double largest_entry, bool text) {
  return {.alpha = largest_entry, .beta = text ? 0.1 : 0.5};
}

#define COPSE_INSTANTIATE(T)                                                                          \
  template NmfResult<T> factorize(const Data<T>&, const NmfOptions&);                                 \
  template std::vector<NmfResult<T>> factorize_together(const Data<T>&, std::span<const NmfOptions>); \
  template NmfResult<T> factorize(const Data<T>&, const NmfOptions&, Matrix<T>, Matrix<T>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
