#include "copse/cluster/rival_methods.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/stopwatch.h"
#include "copse/cluster/affinity_propagation.h"
#include "copse/cluster/anchor_words.h"
#include "copse/cluster/gnmf.h"
#include "copse/cluster/k_means.h"
#include "copse/cluster/lda.h"
#include "copse/cluster/separable.h"
#include "copse/cluster/sparse_items.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/clusters.h"
#include "copse/nmf/error.h"

namespace copse {
namespace {

// Runs with other seeds; the best by its objective is kept. `run(seed, time that is left)` gives a MethodResult.
template <class T, class Run>
MethodResult<T> best_of(const MethodOptions& options, const Run& run) {
  const Stopwatch watch;
  MethodResult<T> best;
  std::vector<double> objectives;
  for (int r = 0; r < options.runs; ++r) {
    MethodResult<T> result;
    try {
      result = run(options.seed + static_cast<std::uint64_t>(r), options.time_limit - watch.seconds());
    } catch (const Cancelled&) {
      if (r == 0) throw;
      best.stop_reason = StopReason::interrupted;
      break;
    }
    objectives.push_back(result.objective);
    const bool is_better =
        result.larger_is_better ? result.objective > best.objective : result.objective < best.objective;
    const StopReason reason = result.stop_reason;
    if (r == 0 || is_better) {
      best = std::move(result);
      best.best_run = r;
    }
    if (reason == StopReason::interrupted || reason == StopReason::time_limit) {
      best.stop_reason = reason;
      break;
    }
  }
  best.run_objectives = std::move(objectives);
  return best;
}

// An iteration of a method with a name of its own for the objective.
template <class Iteration, class Objective>
std::function<bool(const Iteration&)> reporting(const MethodOptions& options, std::vector<MethodIteration>& history,
                                                const Objective& objective) {
  return [&options, &history, objective](const Iteration& iteration) {
    history.push_back({iteration.number, objective(iteration), iteration.seconds});
    return !options.progress || options.progress(history.back());
  };
}

template <class T>
void take_weights(Matrix<T> weights, MethodResult<T>& result) {
  result.labels = cluster_items(weights).labels;
  result.k = weights.cols();
  result.weights = std::move(weights);
}

// The factors of anchors among the features: W of unit columns, and the items fitted to it.
template <class T>
MethodResult<T> of_features(const Dataset<T>& items, SeparableResult<T> found) {
  if (found.anchors.empty()) throw InvalidArgument("All entries are zero: there is nothing to factor.");
  MethodResult<T> result;
  result.w = std::move(found.h);
  for (Index c = 0; c < result.w.cols(); ++c) {
    double square = 0;
    for (Index i = 0; i < result.w.rows(); ++i) square += static_cast<double>(result.w(i, c)) * result.w(i, c);
    if (square == 0) continue;  // an anchor that others express
    for (Index i = 0; i < result.w.rows(); ++i)
      result.w(i, c) = static_cast<T>(static_cast<double>(result.w(i, c)) / std::sqrt(square));
  }
  const auto data = in_memory(items);
  Matrix<T> h = assign_items(*data, result.w);
  result.objective = relative_error(*data, result.w, h);
  take_weights(std::move(h), result);
  result.stop_reason = found.stop_reason;
  return result;
}

template <class T>
SeparableOptions separable_options(const MethodOptions& options, std::vector<MethodIteration>& history) {
  SeparableOptions separable{.anchors = options.k, .selection = options.selection, .time_limit = options.time_limit};
  separable.progress = reporting<SeparableIteration>(
      options, history, [](const SeparableIteration& iteration) { return iteration.relative_error; });
  if (options.max_iterations > 0) separable.epochs = options.max_iterations;
  return separable;
}

// -|x_i - x_j|^2 [Kim & Park 2008, section 6].
template <class T>
Matrix<double> negative_distances(const Dataset<T>& items) {
  const Index n = items.items();
  Matrix<double> similarities(n, n);
  std::vector<double> squares(static_cast<std::size_t>(n), 0);
  for (Index i = 0; i < n; ++i) {
    visit_nonzeros(items, i,
                   [&](Index, T value) { squares[i] += static_cast<double>(value) * static_cast<double>(value); });
  }
  parallel_blocks(n, 16, [&](Index begin, Index end) {
    std::vector<double> dense(static_cast<std::size_t>(items.features()));
    for (Index i = begin; i < end; ++i) {
      visit_nonzeros(items, i, [&](Index feature, T value) { dense[feature] = static_cast<double>(value); });
      for (Index j = 0; j < n; ++j) {
        double product = 0;
        visit_nonzeros(items, j,
                       [&](Index feature, T value) { product += dense[feature] * static_cast<double>(value); });
        similarities(i, j) = -std::max(0.0, squares[i] + squares[j] - 2 * product);
      }
      std::ranges::fill(dense, 0);
    }
  });
  return similarities;
}

}  // namespace

template <class T>
MethodResult<T> by_lda(const Dataset<T>& counts, const MethodOptions& options) {
  const SparseItems<T> items(counts);
  return best_of<T>(options, [&](std::uint64_t seed, double seconds) {
    MethodResult<T> result;
    LdaOptions lda_options{.topics = options.k, .time_limit = seconds, .seed = seed};
    if (options.max_iterations > 0) lda_options.sweeps = options.max_iterations;
    lda_options.optimize_alpha = lda_options.optimize_beta = options.move_prior;
    lda_options.progress = reporting<LdaIteration>(
        options, result.history, [](const LdaIteration& iteration) { return iteration.log_likelihood; });
    LdaResult<T> found = lda(items.view(), lda_options);
    take_weights(std::move(found.documents), result);
    result.w = std::move(found.words);
    result.prior = std::move(found.alpha);
    result.objective = found.log_likelihood;
    result.larger_is_better = true;
    result.stop_reason = found.stop_reason;
    return result;
  });
}

template <class T>
MethodResult<T> by_anchor_words(const Dataset<T>& counts, const MethodOptions& options) {
  const SparseItems<T> items(counts);
  MethodResult<T> result;
  AnchorOptions anchor_options{.topics = options.k, .time_limit = options.time_limit};
  anchor_options.progress = reporting<AnchorIteration>(
      options, result.history, [](const AnchorIteration& iteration) { return iteration.distance; });
  AnchorResult<T> found = anchor_topics(items.view(), anchor_options);
  take_weights(assign_items_by_divergence(*in_memory(counts), found.words), result);
  result.w = std::move(found.words);
  result.objective = found.residual;
  result.stop_reason = found.stop_reason;
  return result;
}

template <class T>
MethodResult<T> by_xray(const Dataset<T>& items, const MethodOptions& options) {
  std::vector<MethodIteration> history;
  const SparseMatrix<T> features = transpose(SparseItems<T>(items).view());
  MethodResult<T> result = of_features(items, xray<T>(features, separable_options<T>(options, history)));
  result.history = std::move(history);
  return result;
}

template <class T>
MethodResult<T> by_hottopixx(const Dataset<T>& items, const MethodOptions& options) {
  const SparseMatrix<T> features = transpose(SparseItems<T>(items).view());
  return best_of<T>(options, [&](std::uint64_t seed, double seconds) {
    std::vector<MethodIteration> history;
    SeparableOptions separable = separable_options<T>(options, history);
    separable.seed = seed;
    separable.time_limit = seconds;
    MethodResult<T> result = of_features(items, hottopixx<T>(features, separable));
    result.history = std::move(history);
    return result;
  });
}

template <class T>
MethodResult<T> by_affinity_propagation(const Graph<T>& graph, const Dataset<T>* items, const MethodOptions& options) {
  MethodResult<T> result;
  AffinityOptions affinity{.k = options.k, .preference = options.preference, .time_limit = options.time_limit};
  if (options.max_iterations > 0) affinity.max_iterations = options.max_iterations;
  affinity.progress = reporting<AffinityIteration>(options, result.history, [](const AffinityIteration& iteration) {
    return static_cast<double>(iteration.clusters);
  });
  AffinityResult found = items != nullptr && items->items() <= most_of_all_pairs
                             ? affinity_propagation(negative_distances(*items), affinity)
                             : affinity_propagation<T>(graph.weights, affinity);
  result.k = static_cast<Index>(found.exemplars.size());
  result.labels = std::move(found.labels);
  result.objective = found.net_similarity;
  result.larger_is_better = true;
  result.stop_reason = found.stop_reason;
  result.iterations = found.iterations;
  if (!found.converged)
    result.notes.push_back(
        "The messages of affinity propagation did not settle; the clusters are those of its last "
        "iteration.");
  if (options.k > 0 && result.k > options.k)
    result.notes.push_back("No preference gave " + std::to_string(options.k) + " clusters; " +
                           std::to_string(result.k) + " is the nearest number that was found.");
  if (items != nullptr) {
    result.w = Matrix<T>(items->features(), result.k);
    for (Index c = 0; c < result.k; ++c)
      visit_nonzeros(*items, found.exemplars[c], [&](Index feature, T value) { result.w(feature, c) = value; });
  }
  return result;
}

template <class T>
MethodResult<T> by_gnmf(const Dataset<T>& items, const Graph<T>& graph, const MethodOptions& options) {
  const auto data = in_memory(items);
  return best_of<T>(options, [&](std::uint64_t seed, double seconds) {
    MethodResult<T> result;
    GnmfOptions gnmf_options{.rank = options.k, .lambda = options.lambda, .time_limit = seconds, .seed = seed};
    if (options.max_iterations > 0) gnmf_options.max_iterations = options.max_iterations;
    if (options.tolerance >= 0) gnmf_options.tolerance = options.tolerance;
    gnmf_options.progress = reporting<GnmfIteration>(
        options, result.history, [](const GnmfIteration& iteration) { return iteration.objective; });
    GnmfResult<T> found = gnmf<T>(*data, graph.weights, gnmf_options);
    KMeansOptions means{.clusters = options.k, .spherical = true, .runs = 10, .seed = seed};
    const KMeansResult<T> clusters = k_means_rows(std::move(found.h), means);
    result.labels = clusters.labels;
    result.k = result.labels.empty() ? 0 : *std::ranges::max_element(result.labels) + 1;
    result.objective = found.objective;
    result.stop_reason = found.stop_reason;
    return result;
  });
}

#define COPSE_INSTANTIATE(T)                                                                                  \
  template MethodResult<T> by_lda(const Dataset<T>&, const MethodOptions&);                                   \
  template MethodResult<T> by_anchor_words(const Dataset<T>&, const MethodOptions&);                          \
  template MethodResult<T> by_xray(const Dataset<T>&, const MethodOptions&);                                  \
  template MethodResult<T> by_hottopixx(const Dataset<T>&, const MethodOptions&);                             \
  template MethodResult<T> by_affinity_propagation(const Graph<T>&, const Dataset<T>*, const MethodOptions&); \
  template MethodResult<T> by_gnmf(const Dataset<T>&, const Graph<T>&, const MethodOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
