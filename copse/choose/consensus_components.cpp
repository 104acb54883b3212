#include "copse/choose/consensus_components.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string>

#include "copse/base/error.h"
#include "copse/base/median.h"
#include "copse/base/parallel.h"
#include "copse/choose/parts.h"
#include "copse/cluster/k_means.h"
#include "copse/kernels/dense_product.h"
#include "copse/kernels/gram.h"
#include "copse/nmf/assign.h"
#include "copse/nmf/error.h"
#include "copse/nmf/factors.h"
#include "copse/nmf/scaled_data.h"
#include "copse/nmf/start.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index consensus_components_rows_per_block = 64;
constexpr std::uint64_t grouping = 0x6b0f;  // a stream of random numbers that no run has
const double largest_distance = std::sqrt(2.0);

// Columns of length 1, but for columns of zeros.
template <class T>
void give_unit_columns(Matrix<T>& w) {
  std::vector<double> squares(static_cast<std::size_t>(w.cols()));
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index c = 0; c < w.cols(); ++c) squares[c] += static_cast<double>(w(i, c)) * static_cast<double>(w(i, c));
  }
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index c = 0; c < w.cols(); ++c) {
      if (squares[c] > 0) w(i, c) = static_cast<T>(static_cast<double>(w(i, c)) / std::sqrt(squares[c]));
    }
  }
}

// The components as rows of unit length, those of one run after those of another.
template <class T>
Matrix<T> unit_rows(std::vector<Matrix<T>> runs) {
  const Index k = runs.front().cols(), m = runs.front().rows();
  Matrix<T> rows(static_cast<Index>(runs.size()) * k, m);
  parallel_for(static_cast<Index>(runs.size()), [&](Index r) {
    Matrix<T> w = std::move(runs[r]);
    give_unit_columns(w);
    for (Index c = 0; c < k; ++c) {
      for (Index i = 0; i < m; ++i) rows(r * k + c, i) = w(i, c);
    }
  });
  return rows;
}

// |a - b| of unit rows: sqrt(2 - 2 a'b). Cosines are not negative.
template <class T>
Matrix<T> distances_of(const Matrix<T>& rows) {
  Matrix<T> columns(rows.cols(), rows.rows()), distances;
  for (Index a = 0; a < rows.rows(); ++a) {
    for (Index i = 0; i < rows.cols(); ++i) columns(i, a) = rows(a, i);
  }
  times<T>({rows.data(), rows.rows(), rows.cols(), 1}, columns, distances);
  parallel_blocks(rows.rows(), consensus_components_rows_per_block, [&](Index begin, Index end) {
    for (Index a = begin; a < end; ++a) {
      for (T& value : distances.row(a)) value = std::sqrt(std::max(T(0), T(2) - T(2) * value));
      distances(a, a) = 0;
    }
  });
  return distances;
}

// The mean distance of each row to those nearest to it.
template <class T>
std::vector<double> mean_nearest(const Matrix<T>& distances, Index neighbours) {
  std::vector<double> means(static_cast<std::size_t>(distances.rows()));
  parallel_blocks(distances.rows(), consensus_components_rows_per_block, [&](Index begin, Index end) {
    for (Index a = begin; a < end; ++a) {
      std::vector<T> nearest(distances.row(a).begin(), distances.row(a).end());
      nearest.erase(nearest.begin() + a);
      std::ranges::nth_element(nearest, nearest.begin() + (neighbours - 1));
      // Ascending, so that equal distances add up to the same sum whatever their order.
      std::sort(nearest.begin(), nearest.begin() + neighbours);
      means[a] = std::accumulate(nearest.begin(), nearest.begin() + neighbours, 0.0) / static_cast<double>(neighbours);
    }
  });
  return means;
}

// Mean silhouettes [Rousseeuw 1987] of the groups.
template <class T>
std::vector<double> silhouettes_of(const Matrix<T>& distances, const std::vector<Index>& groups, Index k) {
  std::vector<double> sizes(static_cast<std::size_t>(k)), sums(static_cast<std::size_t>(k));
  for (const Index group : groups) {
    if (group >= 0) ++sizes[group];
  }
  for (std::size_t a = 0; a < groups.size(); ++a) {
    const Index own = groups[a];
    if (own < 0 || sizes[own] < 2) continue;
    std::vector<double> to(static_cast<std::size_t>(k));
    for (std::size_t b = 0; b < groups.size(); ++b) {
      if (groups[b] >= 0) to[groups[b]] += distances(static_cast<Index>(a), static_cast<Index>(b));
    }
    const double within = to[own] / (sizes[own] - 1);
    double nearest = std::numeric_limits<double>::infinity();
    for (Index g = 0; g < k; ++g) {
      if (g != own && sizes[g] > 0) nearest = std::min(nearest, to[g] / sizes[g]);
    }
    if (!std::isfinite(nearest)) {
      sums[own] += 1;  // there is one group
    } else if (const double larger = std::max(within, nearest); larger > 0) {
      sums[own] += (nearest - within) / larger;
    }
  }
  for (Index g = 0; g < k; ++g) sums[g] = sizes[g] > 0 ? sums[g] / sizes[g] : 0;
  return sums;
}

// Features x k: of each group the median of every feature; the mean where all medians are zero.
template <class T>
Matrix<T> medians_of(const Matrix<T>& rows, const std::vector<Index>& groups, Index k) {
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(k));
  for (std::size_t a = 0; a < groups.size(); ++a) {
    if (groups[a] >= 0) members[groups[a]].push_back(static_cast<Index>(a));
  }
  Matrix<T> w(rows.cols(), k);
  parallel_blocks(rows.cols(), consensus_components_rows_per_block, [&](Index begin, Index end) {
    std::vector<T> values;
    for (Index i = begin; i < end; ++i) {
      for (Index g = 0; g < k; ++g) {
        if (members[g].empty()) continue;
        values.clear();
        for (const Index a : members[g]) values.push_back(rows(a, i));
        w(i, g) = median<T>(values);
      }
    }
  });
  for (Index g = 0; g < k; ++g) {
    bool any = false;
    for (Index i = 0; i < w.rows(); ++i) any = any || w(i, g) > 0;
    if (any || members[g].empty()) continue;
    for (Index i = 0; i < w.rows(); ++i) {
      double sum = 0;
      for (const Index a : members[g]) sum += static_cast<double>(rows(a, i));
      w(i, g) = static_cast<T>(sum / static_cast<double>(members[g].size()));
    }
  }
  return w;
}

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw InvalidArgument(otherwise);
}

void check(const NmfOptions& options, const ConsensusOptions& how) {
  require(how.runs >= 2, "A consensus needs at least 2 runs, not " + std::to_string(how.runs) + ".");
  require(options.runs == 1, "A consensus is made of its own runs; there is no best of several.");
  require(options.loss == Loss::frobenius && options.alpha == 0 && options.beta == 0,
          "A consensus has the Frobenius loss only, without penalties.");
}

// One column more.
template <class T>
Matrix<T> with_ones(const Matrix<T>& h) {
  Matrix<T> result(h.rows(), h.cols() + 1);
  for (Index j = 0; j < h.rows(); ++j) {
    std::ranges::copy(h.row(j), result.row(j).begin());
    result(j, h.cols()) = 1;
  }
  return result;
}

// min |X - W H - w0 1'| over W and w0 in one block, both not negative: W is scaled to unit columns after it.
template <class T>
void refit(const Data<T>& x, bool affine, NmfResult<T>& result) {
  const Index k = result.w.cols();
  const Matrix<T> factor = affine ? with_ones(result.h) : std::move(result.h);
  Matrix<T> product, solution;
  x.times(factor, product);
  solve_pivoting(gram(factor), product, solution);
  for (Index i = 0; i < x.rows(); ++i) {
    std::ranges::copy(solution.row(i).first(static_cast<std::size_t>(k)), result.w.row(i).begin());
    if (affine) result.baseline[i] = solution(i, k);
  }
  give_unit_columns(result.w);
}

// NmfOptions::tolerance's left side / sqrt(k): H is exact, so that W's gradient is all of it.
template <class T>
double gradient_ratio(const Data<T>& x, bool affine, const NmfResult<T>& result) {
  const Index k = result.w.cols();
  const double norm = x.squared_norm();
  if (norm == 0) return 0;
  Matrix<T> factor = affine ? with_ones(result.h) : result.h, product, w(result.w.rows(), factor.cols());
  x.times(factor, product);
  for (Index i = 0; i < w.rows(); ++i) {
    std::ranges::copy(result.w.row(i), w.row(i).begin());
    if (affine) w(i, k) = result.baseline[i];
  }
  const std::vector<double> squares = squared_projected_gradient(gram(factor), product, w);
  double sum = std::accumulate(squares.begin(), squares.begin() + k, 0.0) / (norm * norm);
  if (affine) sum += squares[k] / (static_cast<double>(x.cols()) * norm);
  return std::sqrt(sum / static_cast<double>(k));
}

// Components by their weight in all items, those of equal weight as they are.
template <class T>
void order_by_weight(NmfResult<T>& result, ConsensusOfRuns& consensus) {
  const Index k = result.w.cols();
  std::vector<double> weights(static_cast<std::size_t>(k));
  for (Index j = 0; j < result.h.rows(); ++j) {
    for (Index c = 0; c < k; ++c) weights[c] += static_cast<double>(result.h(j, c));
  }
  std::vector<Index> order(static_cast<std::size_t>(k)), place(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::stable_sort(order, std::ranges::greater(), [&](Index c) { return weights[c]; });
  for (Index c = 0; c < k; ++c) place[order[c]] = c;
  const auto in_order = [&](Matrix<T>& factor) {
    std::vector<T> row(static_cast<std::size_t>(k));
    for (Index i = 0; i < factor.rows(); ++i) {
      std::ranges::copy(factor.row(i), row.begin());
      for (Index c = 0; c < k; ++c) factor(i, place[c]) = row[c];
    }
  };
  in_order(result.w);
  in_order(result.h);
  ConsensusOfRuns sorted = consensus;
  for (Index c = 0; c < k; ++c) {
    sorted.silhouettes[place[c]] = consensus.silhouettes[c];
    sorted.shares[place[c]] = consensus.shares[c];
  }
  for (Index& group : sorted.groups) group = group < 0 ? group : place[group];
  consensus = std::move(sorted);
}

// Of each feature over the runs.
template <class T>
std::vector<T> median_baseline(const std::vector<std::vector<T>>& baselines) {
  std::vector<T> result(baselines.front().size()), values(baselines.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::ranges::transform(baselines, values.begin(), [&](const std::vector<T>& one) { return one[i]; });
    result[i] = median<T>(values);
  }
  return result;
}

// The runs, and those of their results that the consensus wants.
template <class T>
struct Runs {
  NmfResult<T> best;  // by its error
  std::vector<Matrix<T>> components;
  std::vector<std::vector<T>> baselines;
  StopReason stop_reason = StopReason::converged;
};

template <class T>
Runs<T> make_runs(const Data<T>& x, const NmfOptions& options, int count) {
  const auto began = std::chrono::steady_clock::now();
  Runs<T> runs;
  std::vector<double> errors;
  for (int r = 0; r < count; ++r) {
    NmfOptions one = options;
    one.seed = seed_of_run(options.seed, r);
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - began;
    one.time_limit = std::max(options.time_limit - gone.count(), std::numeric_limits<double>::min());
    NmfResult<T> run;
    try {
      run = factorize(x, one);
    } catch (const Cancelled&) {
      if (r == 0) throw;
      runs.stop_reason = StopReason::interrupted;
      break;
    }
    const bool cut = run.stop_reason == StopReason::interrupted || run.stop_reason == StopReason::time_limit;
    if (cut || run.stop_reason == StopReason::max_iterations) runs.stop_reason = run.stop_reason;
    if (cut && r > 0) break;  // what it has found is not to be compared with finished runs
    errors.push_back(run.relative_error);
    runs.components.push_back(run.w);
    if (options.affine) runs.baselines.push_back(run.baseline);
    if (r == 0 || run.relative_error < runs.best.relative_error) {
      runs.best = std::move(run);
      runs.best.best_run = r;
    }
    if (cut) break;
  }
  runs.best.run_errors = std::move(errors);
  runs.best.stop_reason = runs.stop_reason;
  return runs;
}

template <class T>
ConsensusResult<T> at_this_scale(const Data<T>& x, const NmfOptions& options, const ConsensusOptions& how) {
  Runs<T> runs = make_runs(x, options, how.runs);
  ConsensusResult<T> result{.nmf = std::move(runs.best),
                            .consensus = {.runs = static_cast<int>(runs.components.size())}};
  if (runs.components.size() < 2) return result;
  // What was found before a run was asked to stop is kept.
  with_threads(thread_count(), nullptr, [&] {
    NmfResult<T>& nmf = result.nmf;
    nmf.w = group_components(std::move(runs.components), how, mixed_seed(options.seed, grouping), result.consensus);
    if (options.affine) nmf.baseline = median_baseline(runs.baselines);
    nmf.h = assign_items<T>(x, nmf.w, nmf.baseline);
    refit(x, options.affine, nmf);
    nmf.h = assign_items<T>(x, nmf.w, nmf.baseline);
    Factors<T> factors{std::move(nmf.w), std::move(nmf.h)};
    scale_to_unit_columns(x, factors, options.rank);  // one that is zero in a factor becomes zero in both
    nmf.w = std::move(factors.w);
    nmf.h = std::move(factors.h);
    order_by_weight(nmf, result.consensus);
    nmf.relative_error = relative_error<T>(x, nmf.w, nmf.h, nmf.baseline);
    nmf.objective = nmf.relative_error * nmf.relative_error * x.squared_norm();
    nmf.projected_gradient_ratio = gradient_ratio(x, options.affine, nmf);
  });
  return result;
}

}  // namespace

template <class T>
Matrix<T> group_components(std::vector<Matrix<T>> runs, const ConsensusOptions& options, std::uint64_t seed,
                           ConsensusOfRuns& found) {
  require(!runs.empty() && runs.front().cols() >= 1, "A consensus needs components.");
  require(options.neighbour_share > 0 && options.neighbour_share <= 1,
          "The share of runs whose components count as neighbours is above 0, at most 1.");
  require(options.most_distance >= 0, "The distance that components may have must not be negative.");
  const auto run_count = static_cast<Index>(runs.size());
  const Index k = runs.front().cols(), count = run_count * k;
  for (const Matrix<T>& run : runs)
    require(run.rows() == runs.front().rows() && run.cols() == k, "The runs of a consensus have factors of one shape.");
  const Matrix<T> rows = unit_rows(std::move(runs));
  const Matrix<T> distances = distances_of(rows);
  found.runs = static_cast<int>(run_count);
  found.neighbours = std::clamp(static_cast<Index>(options.neighbour_share * static_cast<double>(run_count)), Index(1),
                                std::max(Index(1), count - 1));
  found.distances.assign(static_cast<std::size_t>(count), 0);
  if (count > 1) found.distances = mean_nearest(distances, found.neighbours);
  std::vector<Index> kept;
  for (Index a = 0; a < count; ++a) {
    const bool is_zero = std::ranges::all_of(rows.row(a), [](T value) { return value == 0; });
    if (is_zero) found.distances[a] = largest_distance;
    if (!is_zero && found.distances[a] <= options.most_distance) kept.push_back(a);
  }
  if (static_cast<Index>(kept.size()) < k)
    throw InputError("only " + std::to_string(kept.size()) + " of the " + std::to_string(count) + " components of " +
                     std::to_string(run_count) + " runs are like enough to others for a consensus of " +
                     std::to_string(k) + "; allow a larger `consensus_distance`, or ask for fewer clusters.");
  Matrix<T> close(static_cast<Index>(kept.size()), rows.cols());
  for (std::size_t a = 0; a < kept.size(); ++a)
    std::ranges::copy(rows.row(kept[a]), close.row(static_cast<Index>(a)).begin());
  const KMeansResult<T> groups =
      k_means_rows(std::move(close), {.clusters = k, .runs = options.group_runs, .seed = seed});
  found.groups.assign(static_cast<std::size_t>(count), -1);
  for (std::size_t a = 0; a < kept.size(); ++a) found.groups[kept[a]] = groups.labels[a];
  found.silhouettes = silhouettes_of(distances, found.groups, k);
  found.shares.assign(static_cast<std::size_t>(k), 0);
  for (Index g = 0; g < k; ++g) {
    for (Index r = 0; r < found.runs; ++r) {
      const auto first = found.groups.begin() + r * k;
      if (std::find(first, first + k, g) != first + k) found.shares[g] += 1.0 / found.runs;
    }
  }
  Matrix<T> w = medians_of(rows, found.groups, k);
  give_unit_columns(w);
  return w;
}

ConsensusMemory consensus_memory(int runs, double k, double features, double width) {
  const double count = runs * k, kept = count * features * width;
  // Rows, the same as columns, and what products or K-means make of them; all distances.
  return {.kept = kept, .grouped = 4 * kept + 2 * count * count * width};
}

template <class T>
ConsensusResult<T> factorize_by_consensus(const Data<T>& x, const NmfOptions& options, const ConsensusOptions& how) {
  check(options, how);
  const int exponent = exponent_of_norm(x);
  if (is_moderate<T>(exponent)) return at_this_scale(x, options, how);
  ConsensusResult<T> result = at_this_scale<T>(ScaledData<T>(x, exponent), options, how);
  scale_by_power(result.nmf.h.values(), exponent);
  scale_by_power<T>(result.nmf.baseline, exponent);
  result.nmf.objective = std::ldexp(result.nmf.objective, 2 * exponent);
  for (const T value : result.nmf.h.values())
    require(std::isfinite(value),
            "The coefficients of an item are larger than the largest number of this precision; "
            "scale the data down, or ask for double precision.");
  return result;
}

#define COPSE_INSTANTIATE(T)                                                                          \
  template Matrix<T> group_components(std::vector<Matrix<T>>, const ConsensusOptions&, std::uint64_t, \
                                      ConsensusOfRuns&);                                              \
  template ConsensusResult<T> factorize_by_consensus(const Data<T>&, const NmfOptions&, const ConsensusOptions&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
