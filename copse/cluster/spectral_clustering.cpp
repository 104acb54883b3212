#include "copse/cluster/spectral_clustering.h"

#include <algorithm>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/normalize.h"
#include "copse/graph/spectral.h"
#include "copse/kernels/small_eigen.h"

namespace copse {
namespace {

constexpr Index spectral_clustering_rows_per_block = 512;

// Rows at unit length; those of zeros stay.
template <class T>
Matrix<T> unit_rows(const Matrix<T>& rows) {
  Matrix<T> unit(rows);
  parallel_blocks(unit.rows(), spectral_clustering_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      double square = 0;
      for (const T value : unit.row(i)) square += static_cast<double>(value) * static_cast<double>(value);
      for (T& value : unit.row(i))
        value = square > 0 ? static_cast<T>(static_cast<double>(value) / std::sqrt(square)) : T(0);
    }
  });
  return unit;
}

}  // namespace

template <class T>
Discretized discretize(const Matrix<T>& vectors, std::uint64_t seed, std::uint64_t stream, int max_iterations) {
  const Matrix<T> rows = unit_rows(vectors);
  const Index n = rows.rows(), k = rows.cols();
  Discretized result;
  result.labels.assign(static_cast<std::size_t>(n), -1);
  std::vector<Index> used;
  for (Index i = 0; i < n; ++i) {
    if (std::ranges::any_of(rows.row(i), [](T value) { return value != T(0); })) used.push_back(i);
  }
  if (used.empty() || k == 0) return result;
  const auto row_of = [&](Index i) {
    Eigen::VectorXd row(k);
    for (Index c = 0; c < k; ++c) row(c) = static_cast<double>(rows(i, c));
    return row;
  };
  // The first column of the rotation is a row at random, each other the row that is most at right angles to those
  // before.
  Random random(seed, stream);
  Eigen::MatrixXd turn = Eigen::MatrixXd::Zero(k, k);
  turn.col(0) = row_of(used[random.below(static_cast<Index>(used.size()))]);
  std::vector<double> likeness(used.size(), 0.0);
  for (Index c = 1; c < k; ++c) {
    for (std::size_t p = 0; p < used.size(); ++p) {
      double product = 0;
      for (Index e = 0; e < k; ++e) product += static_cast<double>(rows(used[p], e)) * turn(e, c - 1);
      likeness[p] += std::abs(product);
    }
    turn.col(c) = row_of(used[std::ranges::min_element(likeness) - likeness.begin()]);
  }
  double before = std::numeric_limits<double>::infinity();
  for (result.iterations = 1; result.iterations <= max_iterations; ++result.iterations) {
    check_cancelled();
    parallel_blocks(static_cast<Index>(used.size()), spectral_clustering_rows_per_block, [&](Index begin, Index end) {
      for (Index p = begin; p < end; ++p) {
        double best = -std::numeric_limits<double>::infinity();
        for (Index c = 0; c < k; ++c) {
          double product = 0;
          for (Index e = 0; e < k; ++e) product += static_cast<double>(rows(used[p], e)) * turn(e, c);
          if (product > best) best = product, result.labels[used[p]] = c;
        }
      }
    });
    // min over rotations R of |Z - X R|^2 = 2 n - 2 * the sum of the singular values of Z'X.
    Eigen::MatrixXd product = Eigen::MatrixXd::Zero(k, k);
    for (const Index i : used) {
      for (Index e = 0; e < k; ++e) product(result.labels[i], e) += static_cast<double>(rows(i, e));
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(product, Eigen::ComputeFullU | Eigen::ComputeFullV);
    result.objective = std::max(0.0, 2 * (static_cast<double>(used.size()) - svd.singularValues().sum()));
    turn = svd.matrixV() * svd.matrixU().transpose();
    if (!(result.objective < before - 1e-12 * static_cast<double>(used.size()))) break;
    before = result.objective;
  }
  return result;
}

template <class T>
SpectralResult<T> spectral_clustering(SparseView<T> weights, const SpectralOptions& options) {
  const std::vector<double> degree = degrees(weights);
  const auto with_edges = std::ranges::count_if(degree, [](double d) { return d > 0; });
  if (options.clusters < 1 || options.clusters > with_edges)
    throw InvalidArgument("the number of clusters must be between 1 and the number of nodes with edges, " +
                          std::to_string(with_edges) + ", and is " + std::to_string(options.clusters));
  if (options.runs < 1) throw InvalidArgument("the number of runs must be at least 1");
  const SparseMatrix<T> a = normalized<T>(weights, 0);
  Eigenpairs<T> pairs =
      leading_eigenpairs_by_component<T>(SparseView<T>(a), options.clusters, options.seed, options.tolerance);
  SpectralResult<T> result;
  result.values = std::move(pairs.values);
  result.converged = pairs.converged;
  if (!result.converged)
    result.notes.push_back(
        "The eigenvectors did not converge to the tolerance that was asked for: eigenvalues lie too close to each "
        "other, and the labels may be those of a mixture of eigenvectors.");
  // Nodes without edges are components of their own, and none of the leading eigenvectors is theirs.
  Matrix<T> vectors = std::move(pairs.vectors);
  for (Index i = 0; i < vectors.rows(); ++i) {
    if (!(degree[i] > 0)) std::ranges::fill(vectors.row(i), T(0));
  }
  switch (options.labels) {
    case SpectralLabels::qr:
      result.labels = cluster_qr(vectors);
      break;
    case SpectralLabels::discretized:
      for (int run = 0; run < options.runs; ++run) {
        Discretized one =
            discretize(vectors, options.seed, static_cast<std::uint64_t>(run) + 1, options.max_iterations);
        result.run_objectives.push_back(one.objective);
        if (run > 0 && !(one.objective < result.objective)) continue;
        result.objective = one.objective;
        result.labels = std::move(one.labels);
        result.best_run = run;
        result.history = {{one.iterations, one.objective, 0}};
      }
      break;
    case SpectralLabels::k_means: {
      std::vector<Index> used;
      for (Index i = 0; i < vectors.rows(); ++i) {
        if (degree[i] > 0) used.push_back(i);
      }
      const Matrix<T> unit = unit_rows(vectors);
      Matrix<T> rows;
      rows.reshape(static_cast<Index>(used.size()), unit.cols());
      for (std::size_t p = 0; p < used.size(); ++p)
        std::ranges::copy(unit.row(used[p]), rows.row(static_cast<Index>(p)).begin());
      KMeansResult<T> means = k_means_rows(std::move(rows), {.clusters = options.clusters,
                                                             .start = options.start,
                                                             .runs = options.runs,
                                                             .max_iterations = options.max_iterations,
                                                             .seed = options.seed});
      result.labels.assign(static_cast<std::size_t>(weights.cols), -1);
      for (std::size_t p = 0; p < used.size(); ++p) result.labels[used[p]] = means.labels[p];
      result.objective = means.objective;
      result.run_objectives = std::move(means.run_objectives);
      result.best_run = means.best_run;
      result.history = std::move(means.history);
      break;
    }
  }
  // Numbers of clusters without nodes are closed up.
  std::vector<Index> number(static_cast<std::size_t>(options.clusters), -1);
  for (const Index label : result.labels) {
    if (label >= 0) number[label] = 0;
  }
  for (Index& value : number) value = value < 0 ? -1 : result.k++;
  for (Index& label : result.labels) label = label < 0 ? -1 : number[label];
  result.vectors = std::move(vectors);
  return result;
}

#define COPSE_INSTANTIATE(T)                                                             \
  template SpectralResult<T> spectral_clustering(SparseView<T>, const SpectralOptions&); \
  template Discretized discretize(const Matrix<T>&, std::uint64_t, std::uint64_t, int);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
