#include "copse/graph/symnmf.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/sym_step.h"
#include "copse/kernels/gram.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/stop_after.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index symnmf_rows_per_block = 1024;
constexpr Index newton_nodes = 3000;
constexpr int power_iterations = 5;

// The start of |A - B B'|^2 in the scale of B: B times s with s^2 = <A B, B> / |B'B|^2.
template <class T>
double scale_to_fit(SymPoint<T>& point) {
  const double square = squared_norm<double>(point.gram.values());
  const double scale = square > 0 ? std::sqrt(std::max(0.0, dot(point.product, point.b)) / square) : 0;
  for (T& value : point.b.values()) value = static_cast<T>(value * scale);
  return scale;
}

template <class T>
std::unique_ptr<SymStep<T>> step_of(const SymProblem<T>& problem, const SymNmfOptions& options) {
  switch (options.solver) {
    case SymSolver::coordinate:
      return coordinate_step(problem);
    case SymSolver::newton:
      return newton_step(problem);
    case SymSolver::projected_gradient:
      return gradient_step(problem);
    case SymSolver::gauss_newton:
      return gauss_newton_step(problem);
    case SymSolver::hals:
    case SymSolver::anls:
    case SymSolver::anls_growing:
      break;
  }
  return alternating_step(problem, options);
}

template <class T>
void check(const Data<T>& a, const SparseView<T>* entries, const SymNmfOptions& options, const Matrix<T>& start) {
  const Index n = a.cols();
  if (a.rows() != n)
    throw InvalidArgument("a symmetric factorization needs a square matrix, and this one is " +
                          std::to_string(a.rows()) + " x " + std::to_string(n));
  if (options.rank < 1 || options.rank > n)
    throw InvalidArgument("the number of clusters must be between 1 and the number of nodes, " + std::to_string(n) +
                          ", and is " + std::to_string(options.rank));
  if (start.rows() != n || start.cols() != options.rank)
    throw InvalidArgument("the start must be " + std::to_string(n) + " x " + std::to_string(options.rank) +
                          ", and is " + std::to_string(start.rows()) + " x " + std::to_string(start.cols()));
  if (options.max_iterations < 1) throw InvalidArgument("the number of iterations must be at least 1");
  if (!(options.tolerance >= 0) || !(options.time_limit >= 0) || !(options.alpha >= 0) || !(options.beta >= 0) ||
      !(options.first_gradient >= 0))
    throw InvalidArgument("tolerance, time limit, alpha and beta must not be negative");
  if (options.solver == SymSolver::coordinate && entries == nullptr)
    throw InvalidArgument(
        "coordinate descent reads single entries of the graph, which must be a sparse matrix in memory");
  if (options.solver == SymSolver::newton && n >= newton_nodes)
    throw InvalidArgument(
        "the Newton-like algorithm takes n x n numbers for every cluster; it is meant for less than " +
        std::to_string(newton_nodes) + " nodes, and this graph has " + std::to_string(n));
  for (const T value : start.values()) {
    if (!(value >= T(0)) || std::isinf(value))
      throw InvalidArgument("the entries of the start must be finite and not negative");
  }
}

// |projected gradient|, [Kuang 2014, eq. 17]: 4 (B B'B - A B), which NNLS calls 4 (B G - Y).
template <class T>
double gradient_norm(const SymPoint<T>& point) {
  double square = 0;
  for (const double part : squared_projected_gradient(point.gram, point.product, point.b)) square += part;
  return 4 * std::sqrt(square);
}

template <class T>
SymNmfResult<T> run(const SymProblem<T>& problem, const SymNmfOptions& options, Matrix<T> start) {
  const auto began = std::chrono::steady_clock::now();
  SymNmfResult<T> result;
  SymPoint<T> now{.b = std::move(start)};
  problem.evaluate(now);
  double first = options.first_gradient;
  const double start_gradient = gradient_norm(now);
  if (first == 0) first = start_gradient;
  const auto record = [&](int number, double gradient) {
    const double scale = problem.squared_norm;
    result.history.push_back(
        {.number = number,
         .relative_error = scale > 0 ? std::sqrt(std::max(0.0, now.objective) / scale) : 0,
         .projected_gradient_ratio = first > 0 ? gradient / first : 0,
         .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()});
    return result.history.back();
  };
  SymIteration latest = {.projected_gradient_ratio = first > 0 ? start_gradient / first : 0};
  if (latest.projected_gradient_ratio <= options.tolerance) {
    record(0, start_gradient);
    result.stop_reason = StopReason::converged;
  } else {
    const std::unique_ptr<SymStep<T>> step = step_of(problem, options);
    Matrix<T> before;  // kept, since taking a large matrix and giving it back costs as much as a product
    for (int number = 1;; ++number) {
      bool gained = true;
      try {
        before = now.b;
        gained = step->advance(now);
      } catch (const Cancelled&) {
        if (number == 1) throw;
        now.b = std::move(before);
        result.stop_reason = StopReason::interrupted;
        break;
      }
      latest = record(number, gradient_norm(now));
      std::optional<StopReason> ended;
      if (latest.projected_gradient_ratio <= options.tolerance || !gained) {
        ended = StopReason::converged;
      } else if (number >= options.max_iterations) {
        ended = StopReason::max_iterations;
      }
      if (const auto reason = stop_after(latest, options, ended)) {
        result.stop_reason = *reason;
        break;
      }
    }
  }
  result.b = std::move(now.b);
  result.objective = std::max(0.0, now.objective);
  result.relative_error = result.history.back().relative_error;
  result.projected_gradient_ratio = result.history.back().projected_gradient_ratio;
  return result;
}

}  // namespace

template <class T>
void SymProblem<T>::evaluate(SymPoint<T>& point) const {
  // A is its own transpose: the product that needs no transposed copy serves.
  a.transpose_times(point.b, point.product);
  point.gram = copse::gram(point.b);
  point.objective = squared_norm - 2 * dot(point.product, point.b) + copse::squared_norm<double>(point.gram.values());
}

template <class T>
Matrix<T> sym_gradient(const SymPoint<T>& point) {
  const Index n = point.b.rows(), k = point.b.cols();
  Matrix<T> gradient;
  gradient.reshape(n, k);
  Matrix<T> gram(k, k);
  for (Index e = 0; e < k * k; ++e) gram.data()[e] = static_cast<T>(point.gram.data()[e]);
  parallel_blocks(n, symnmf_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      T* out = gradient.row(i).data();
      const T* product = point.product.row(i).data();
      for (Index c = 0; c < k; ++c) out[c] = -product[c];
      for (Index d = 0; d < k; ++d) {
        const T value = point.b(i, d);
        if (value == T(0)) continue;
        const T* row = gram.row(d).data();
        for (Index c = 0; c < k; ++c) out[c] += value * row[c];
      }
      for (Index c = 0; c < k; ++c) out[c] *= 4;
    }
  });
  return gradient;
}

template <class T>
Matrix<T> random_sym_start(const Data<T>& a, Index rank, std::uint64_t seed, double* gradient) {
  SymPoint<T> point{.b = Matrix<T>(a.cols(), rank)};
  parallel_blocks(a.cols(), symnmf_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Random random(seed, static_cast<std::uint64_t>(i));
      for (T& value : point.b.row(i)) value = static_cast<T>(random.uniform());
    }
  });
  SymProblem<T>{a, nullptr, 0, 0}.evaluate(point);
  const double scale = scale_to_fit(point);
  if (gradient != nullptr) {
    for (T& value : point.product.values()) value = static_cast<T>(value * scale);
    for (double& value : point.gram.values()) value *= scale * scale;
    *gradient = gradient_norm(point);
  }
  return std::move(point.b);
}

template <class T>
Matrix<T> partition_start(SparseView<T> a, std::span<const Index> labels, Index rank) {
  const Index n = a.cols;
  // From the roots of the degrees within the group, which are the eigenvector where A is normalized.
  std::vector<double> x(static_cast<std::size_t>(n), 1.0), y = x;
  std::vector<double> norm, value;
  const auto product = [&] {
    parallel_blocks(n, symnmf_rows_per_block, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        double sum = 0;
        for (Index p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
          if (labels[a.indices[p]] == labels[j]) sum += static_cast<double>(a.values[p]) * x[a.indices[p]];
        }
        y[j] = sum;
      }
    });
  };
  for (int iteration = 0; iteration <= power_iterations; ++iteration) {
    product();
    norm.assign(static_cast<std::size_t>(rank), 0.0);
    value = norm;
    for (Index j = 0; j < n; ++j) {
      if (labels[j] < 0) continue;
      norm[labels[j]] += x[j] * x[j];
      value[labels[j]] += x[j] * y[j];
    }
    if (iteration == power_iterations) break;
    // Half of x stays: the leading eigenvalues of a bipartite block are +1 and -1.
    for (Index j = 0; j < n; ++j) {
      if (labels[j] < 0 || !(norm[labels[j]] > 0)) continue;
      const double shift = std::max(0.0, value[labels[j]] / norm[labels[j]]);
      x[j] = (y[j] + shift * x[j]) / std::sqrt(norm[labels[j]]);
    }
  }
  Matrix<T> b(n, rank);
  for (Index j = 0; j < n; ++j) {
    const Index c = labels[j];
    if (c >= 0 && norm[c] > 0) b(j, c) = static_cast<T>(x[j] * std::sqrt(std::max(0.0, value[c])) / norm[c]);
  }
  return b;
}

template <class T>
double sym_gradient_norm(const Data<T>& a, const Matrix<T>& b) {
  SymPoint<T> point{.b = b};
  SymProblem<T>{a, nullptr, 0, 0}.evaluate(point);
  return gradient_norm(point);
}

template <class T>
SymNmfResult<T> factorize_symmetric(const Data<T>& a, const SymNmfOptions& options, Matrix<T> start) {
  check<T>(a, nullptr, options, start);
  // The scale of A without its entries: its root mean square is below the largest entry.
  const double largest = std::sqrt(a.squared_norm() / std::max(1.0, static_cast<double>(a.nonzeros())));
  return run<T>({a, nullptr, a.squared_norm(), largest}, options, std::move(start));
}

template <class T>
SymNmfResult<T> factorize_symmetric(SparseView<T> a, const SymNmfOptions& options, Matrix<T> start) {
  const SparseData<T> data(a);
  check<T>(data, &a, options, start);
  const double largest =
      a.values.empty() ? 0 : static_cast<double>(*std::max_element(a.values.begin(), a.values.end()));
  return run<T>({data, &a, data.squared_norm(), largest}, options, std::move(start));
}

#define COPSE_INSTANTIATE(T)                                                                     \
  template struct SymProblem<T>;                                                                 \
  template Matrix<T> sym_gradient(const SymPoint<T>&);                                           \
  template Matrix<T> random_sym_start(const Data<T>&, Index, std::uint64_t, double*);            \
  template Matrix<T> partition_start(SparseView<T>, std::span<const Index>, Index);              \
  template double sym_gradient_norm(const Data<T>&, const Matrix<T>&);                           \
  template SymNmfResult<T> factorize_symmetric(const Data<T>&, const SymNmfOptions&, Matrix<T>); \
  template SymNmfResult<T> factorize_symmetric(SparseView<T>, const SymNmfOptions&, Matrix<T>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
