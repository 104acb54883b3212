// What fits of several methods share: runs, history, weights.
#pragma once

#include <algorithm>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/stopwatch.h"
#include "copse/methods/method.h"
#include "copse/nmf/clusters.h"

namespace copse {

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

inline Index count_of(const std::vector<Index>& labels) {
  return labels.empty() ? 0 : *std::ranges::max_element(labels) + 1;
}

// Of surveys: half a fit is none.
inline void refuse_half(StopReason reason) {
  if (reason == StopReason::interrupted) throw Cancelled();
}

// W' (features x found clusters) as k rows; those that were not found are zero.
template <class T>
Matrix<T> components_of(const Matrix<T>& w, Index k) {
  Matrix<T> components(k, w.rows());
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index c = 0; c < w.cols(); ++c) components(c, i) = w(i, c);
  }
  return components;
}

}  // namespace copse
