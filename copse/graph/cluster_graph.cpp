#include "copse/graph/cluster_graph.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/block_model.h"
#include "copse/graph/communities.h"
#include "copse/graph/low_rank.h"
#include "copse/graph/normalize.h"
#include "copse/graph/set_aside.h"
#include "copse/graph/spectral.h"
#include "copse/kernels/in_memory.h"
#include "copse/kernels/small_eigen.h"
#include "copse/nmf/residual.h"

namespace copse {
namespace {

constexpr Index nodes_per_block = 4096;
constexpr Index countable_nodes = 2000;  // all eigenvalues of a graph up to here are affordable

// Whether A has at least k eigenvalues that are not negative [Kuang 2014, section 3.4.3]. The span of B proves it where
// A is not negative on it; else the eigenvalues are looked at.
template <class T>
bool enough_eigenvalues(SparseView<T> a, const Matrix<T>& b, std::uint64_t seed) {
  const SparseData<T> data(a);
  const Index k = b.cols();
  Matrix<T> product;
  data.transpose_times(b, product);
  const auto to_eigen = [&](const Matrix<double>& x) -> Eigen::MatrixXd {
    const Eigen::MatrixXd m = Eigen::Map<const Eigen::MatrixXd>(x.data(), k, k);
    return (m + m.transpose()) / 2;
  };
  const Eigen::MatrixXd gram = to_eigen(inner_products<T>(data, b, b)),
                        form = to_eigen(inner_products<T>(data, b, product));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spans(gram, Eigen::EigenvaluesOnly),
      signs(form, Eigen::EigenvaluesOnly);
  const double zero = 1e-6;
  if (spans.eigenvalues()(0) > zero * spans.eigenvalues()(k - 1) &&
      signs.eigenvalues()(0) >= -zero * signs.eigenvalues()(k - 1))
    return true;
  if (a.cols > countable_nodes) return true;  // one cannot tell, and in practice there are enough
  const auto values = leading_eigenpairs<T>(data, k, seed, 1e-2).values;
  return values.back() >= -zero * std::max(0.0, values.front());
}

// Nodes with a row of zeros join the cluster to which they have most weight, outwards from the others.
template <class T>
void place_rest(SparseView<T> a, Index k, std::vector<Index>& labels) {
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<Index> before = labels;
    std::vector<double> weight(static_cast<std::size_t>(k));
    for (Index i = 0; i < a.cols; ++i) {
      if (before[i] >= 0) continue;
      std::fill(weight.begin(), weight.end(), 0.0);
      for (Index p = a.offsets[i]; p < a.offsets[i + 1]; ++p) {
        const Index label = before[a.indices[p]];
        if (label >= 0) weight[label] += static_cast<double>(a.values[p]);
      }
      const auto best = std::max_element(weight.begin(), weight.end());
      if (!(*best > 0)) continue;
      labels[i] = best - weight.begin();
      changed = true;
    }
  }
}

// Memberships where the labels come from the factor. Row i of B B' tells what the factor makes of node i's
// similarities. Cluster c's part of its sum is b_ic sum_j b_jc: divided by the sum over all clusters, it is the node's
// membership. `scale` undoes the normalization, so that similarities count as they were given.
template <class T>
Matrix<T> memberships(const Matrix<T>& b, const std::vector<double>& scale) {
  const Index n = b.rows(), k = b.cols();
  std::vector<double> total(static_cast<std::size_t>(k), 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < k; ++c) total[c] += static_cast<double>(b(i, c)) * scale[i];
  }
  Matrix<T> out(n, k);
  parallel_blocks(n, nodes_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      double sum = 0;
      for (Index c = 0; c < k; ++c) sum += static_cast<double>(b(i, c)) * total[c];
      if (!(sum > 0)) continue;
      for (Index c = 0; c < k; ++c) out(i, c) = static_cast<T>(static_cast<double>(b(i, c)) * total[c] / sum);
    }
  });
  return out;
}

// Memberships where the labels are the start's: the share of a node's edges that each group holds, if its own group
// holds most. Else what the edges weigh beyond what degrees alone would give, w(v, c) - r d_v d_c / d, divided by the
// sum over the groups where it is positive: groups that no move of a node can improve at the resolution r have the
// largest share of each of their nodes. Rows of nodes without edges to any group are zero.
template <class T>
Matrix<T> shares_of_edges(SparseView<T> weights, const std::vector<Index>& labels, Index k, double resolution) {
  const Index n = weights.cols;
  const std::vector<double> degree = degrees<T>(weights);
  std::vector<double> group(static_cast<std::size_t>(k), 0.0);
  double total = 0;
  for (Index i = 0; i < n; ++i) {
    total += degree[i];
    if (labels[i] >= 0) group[labels[i]] += degree[i];
  }
  Matrix<T> out(n, k);
  parallel_blocks(n, nodes_per_block, [&](Index begin, Index end) {
    std::vector<double> held(static_cast<std::size_t>(k)), beyond(held.size());
    for (Index i = begin; i < end; ++i) {
      std::fill(held.begin(), held.end(), 0.0);
      for (Index p = weights.offsets[i]; p < weights.offsets[i + 1]; ++p) {
        const Index label = labels[weights.indices[p]];
        if (label >= 0) held[label] += static_cast<double>(weights.values[p]);
      }
      double sum = 0, all = 0;
      for (Index c = 0; c < k; ++c) {
        const double others = group[c] - (labels[i] == c ? degree[i] : 0);
        all += held[c];
        beyond[c] = held[c] > 0 ? std::max(0.0, held[c] - resolution * degree[i] * others / total) : 0;
        sum += beyond[c];
      }
      const bool most = labels[i] >= 0 && held[labels[i]] >= *std::ranges::max_element(held);
      if (most) sum = 0;
      const std::vector<double>& shares = sum > 0 ? beyond : held;
      if (!(all > 0)) continue;
      for (Index c = 0; c < k; ++c) out(i, c) = static_cast<T>(shares[c] / (sum > 0 ? sum : all));
    }
  });
  return out;
}

std::vector<Index> largest_entries(const auto& weights) {
  std::vector<Index> labels(static_cast<std::size_t>(weights.rows()), -1);
  for (Index i = 0; i < weights.rows(); ++i) {
    const auto row = weights.row(i);
    const auto largest = std::max_element(row.begin(), row.end());
    if (largest != row.end() && *largest > 0) labels[i] = largest - row.begin();
  }
  return labels;
}

bool better(const GraphRun& run, const GraphRun& best, RunChoice choice) {
  switch (choice) {
    case RunChoice::modularity:
      return run.modularity > best.modularity;
    case RunChoice::normalized_cut:
      return run.normalized_cut < best.normalized_cut;
    case RunChoice::objective:
      break;
  }
  return run.relative_error < best.relative_error;
}

template <class T>
struct Outcome {
  Matrix<T> b, weights;
  std::vector<Index> labels;
  Matrix<double> blocks;
  std::vector<SymIteration> history;
  StopReason stop_reason = StopReason::max_iterations;
  double relative_error = 0;
  bool labels_of_start = false;
};

template <class T>
Matrix<T> start_of(SparseView<T> weights, SparseView<T> a, const GraphClusterOptions& options, std::uint64_t seed,
                   Matrix<T> random, CommunityCount& partition) {
  if (options.start == GraphStart::random) return random;
  if (options.start == GraphStart::multilevel) {
    partition = communities_of_count(weights, options.k, seed);
  } else {
    partition.labels = cluster_qr(leading_eigenpairs_by_component(a, options.k, seed).vectors);
  }
  return partition_start<T>(a, partition.labels, options.k);
}

template <class T>
Outcome<T> symmetric_outcome(SparseView<T> weights, SparseView<T> a, const std::vector<double>& scale,
                             const GraphClusterOptions& options, std::uint64_t seed, double time_left) {
  const SparseData<T> data(a);
  CommunityCount found;
  std::vector<Index>& partition = found.labels;
  double first_gradient = 0;
  Matrix<T> random = random_sym_start<T>(data, options.k, seed, &first_gradient);
  SymNmfOptions solve = {.rank = options.k,
                         .solver = options.solver,
                         .max_iterations = options.max_iterations,
                         .tolerance = options.tolerance,
                         .first_gradient = first_gradient,
                         .time_limit = time_left,
                         .alpha = options.alpha,
                         .beta = options.beta,
                         .progress = options.progress};
  Matrix<T> start = start_of<T>(weights, a, options, seed, std::move(random), found);
  if (options.low_rank > 0) {
    SymNmfOptions rough = solve;
    if (rough.solver == SymSolver::coordinate || rough.solver == SymSolver::newton) rough.solver = SymSolver::hals;
    start =
        factorize_low_rank<T>(data, rough, {.rank = std::min(options.low_rank, a.cols), .seed = seed}, std::move(start))
            .b;
  }
  SymNmfResult<T> fit = factorize_symmetric<T>(a, solve, std::move(start));
  Outcome<T> outcome;
  uninterrupted([&] { outcome.weights = memberships(fit.b, scale); });  // what was found is kept
  outcome.b = std::move(fit.b);
  outcome.labels = largest_entries(outcome.weights);
  for (std::size_t i = 0; i < partition.size(); ++i) {
    if (outcome.labels[i] < 0) outcome.labels[i] = partition[i];
  }
  place_rest<T>(weights, options.k, outcome.labels);
  outcome.history = std::move(fit.history);
  outcome.stop_reason = fit.stop_reason;
  outcome.relative_error = fit.relative_error;
  if (partition.empty() || options.labels == LabelSource::factor) return outcome;
  place_rest<T>(weights, options.k, partition);
  if (graph_quality<T>(weights, partition).modularity > graph_quality<T>(weights, outcome.labels).modularity) {
    outcome.labels_of_start = true;
    uninterrupted([&] { outcome.weights = shares_of_edges(weights, partition, options.k, found.resolution); });
    outcome.labels = std::move(partition);
  }
  return outcome;
}

// The better fit of two starts: the one that was asked for, and the rays of the eigenvectors.
template <class T>
Outcome<T> block_outcome(SparseView<T> weights, SparseView<T> a, const GraphClusterOptions& options, std::uint64_t seed,
                         double time_left) {
  const BlockOptions solve = {.rank = options.k,
                              .max_iterations = options.max_iterations,
                              .tolerance = options.tolerance / 100,
                              .time_limit = time_left,
                              .progress = options.progress};
  std::vector<Index> partition;
  if (options.start == GraphStart::random) {
    Random random(seed);
    for (Index i = 0; i < a.cols; ++i)
      partition.push_back(static_cast<Index>(random.uniform() * static_cast<double>(options.k)));
  } else {
    CommunityCount found;
    start_of<T>(weights, a, options, seed, {}, found);
    partition = std::move(found.labels);
  }
  BlockModel<T> best = fit_blocks<T>(a, solve, std::move(partition));
  if (best.stop_reason == StopReason::converged || best.stop_reason == StopReason::max_iterations) {
    BlockModel<T> other = fit_blocks<T>(a, solve, block_start<T>(a, options.k, seed));
    if (other.objective < best.objective) best = std::move(other);
  }
  Outcome<T> outcome;
  outcome.b = Matrix<T>(a.cols, options.k);
  for (Index i = 0; i < a.cols; ++i) outcome.b(i, best.labels[i]) = static_cast<T>(best.z[i]);
  outcome.weights = std::move(best.memberships);
  outcome.labels = std::move(best.labels);
  outcome.blocks = std::move(best.s);
  outcome.history = std::move(best.history);
  outcome.stop_reason = best.stop_reason;
  outcome.relative_error = best.relative_error;
  return outcome;
}

// Takes what hangs from the core out of it. A block model says itself how such nodes stand to the group of their
// anchor.
template <class T>
std::vector<Hanging> cut_hanging(const Graph<T>& graph, const GraphClusterOptions& options, std::vector<Index>& core) {
  if (options.model == GraphModel::blocks) return {};
  const Index least = options.least_component < 0 ? least_part(graph.nodes(), options.k) : options.least_component;
  std::vector<Hanging> hanging = hanging_nodes<T>(SparseView<T>(graph.weights), least);
  std::erase_if(hanging, [&](const Hanging& h) { return !std::ranges::binary_search(core, h.node); });
  std::vector<Index> rest = without(core, hanging);
  if (static_cast<Index>(rest.size()) < options.k) return {};
  core = std::move(rest);
  return hanging;
}

void check(Index nodes, const GraphClusterOptions& options) {
  if (nodes == 0) throw InvalidArgument("the graph has no nodes");
  if (options.k < 1 || options.k > nodes)
    throw InvalidArgument("the number of clusters must be between 1 and the number of nodes, " + std::to_string(nodes) +
                          ", and is " + std::to_string(options.k));
  if (options.runs < 1) throw InvalidArgument("the number of runs must be at least 1");
}

std::string counted(Index count, const std::string& one, const std::string& many) {
  return count == 1 ? "One " + one : std::to_string(count) + " " + many;
}

}  // namespace

template <class T>
GraphClusters<T> cluster_graph(const Graph<T>& graph, const GraphClusterOptions& options) {
  check(graph.nodes(), options);
  const auto began = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  const Index n = graph.nodes(), k = options.k;
  GraphClusters<T> result;
  result.components = connected_components<T>(graph.weights);
  std::vector<Index> core = nodes_taking_part(result.components, k, options.least_component);
  const std::vector<Hanging> hanging = cut_hanging(graph, options, core);
  const bool whole = static_cast<Index>(core.size()) == n;
  const Graph<T> cut = whole ? Graph<T>{} : induced(graph, core);
  const SparseMatrix<T>& weights = whole ? graph.weights : cut.weights;
  const SparseMatrix<T> a = normalized<T>(weights, options.tau);
  std::vector<double> scale = degrees<T>(weights);
  for (double& value : scale) value = std::sqrt(value);

  Outcome<T> best;
  for (int number = 0; number < options.runs; ++number) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(number);
    const double time_left = std::max(0.0, options.time_limit - elapsed());
    const bool blocks = options.model == GraphModel::blocks;
    Outcome<T> outcome;
    try {
      outcome = blocks ? block_outcome<T>(weights, a, options, seed, time_left)
                       : symmetric_outcome<T>(weights, a, scale, options, seed, time_left);
    } catch (const Cancelled&) {
      if (number == 0) throw;
      result.runs.back().stop_reason = StopReason::interrupted;  // the best of the runs before is kept
      break;
    }
    const GraphQuality quality = graph_quality<T>(weights, outcome.labels);
    result.runs.push_back({.relative_error = outcome.relative_error,
                           .modularity = quality.modularity,
                           .normalized_cut = quality.normalized_cut,
                           .iterations = outcome.history.back().number,
                           .stop_reason = outcome.stop_reason});
    const StopReason reason = outcome.stop_reason;
    if (number == 0 ||
        better(result.runs.back(), result.runs[result.best_run], blocks ? RunChoice::objective : options.choice)) {
      result.best_run = number;
      best = std::move(outcome);
    }
    if (reason == StopReason::interrupted || elapsed() >= options.time_limit) break;
  }

  bool enough = true;
  if (options.model == GraphModel::symmetric)
    uninterrupted([&] { enough = enough_eigenvalues<T>(a, best.b, options.seed); });
  if (!enough)
    result.notes.push_back("The graph has fewer than " + std::to_string(k) +
                           " eigenvalues that are not negative: no factorization of this rank fits it well, and fewer "
                           "clusters may serve better.");

  // Nodes of the core that no cluster reaches form pieces of their own, as what was set aside does.
  result.labels.assign(static_cast<std::size_t>(n), -1);
  for (std::size_t v = 0; v < core.size(); ++v) result.labels[core[v]] = best.labels[v];
  for (const auto& [node, anchor] : hanging) result.labels[node] = result.labels[anchor];
  result.nodes_hanging = static_cast<Index>(hanging.size());
  const Pieces pieces = label_pieces(result.components, k, result.labels);
  result.pieces = pieces.count;
  result.nodes_set_aside = pieces.nodes;
  result.sizes.assign(static_cast<std::size_t>(k + result.pieces), 0);
  for (const Index label : result.labels) ++result.sizes[label];
  if (result.pieces > 0) result.notes.push_back(sentence(pieces));
  const auto empty = std::count(result.sizes.begin(), result.sizes.begin() + k, 0);
  if (empty > 0) result.notes.push_back(counted(empty, "cluster has", "clusters have") + " no nodes.");
  if (whole) {
    result.b = std::move(best.b);
    result.weights = std::move(best.weights);
  } else {
    result.b = Matrix<T>(n, k);
    result.weights = Matrix<T>(n, k);
    for (std::size_t v = 0; v < core.size(); ++v) {
      std::copy_n(best.b.row(static_cast<Index>(v)).data(), k, result.b.row(core[v]).data());
      std::copy_n(best.weights.row(static_cast<Index>(v)).data(), k, result.weights.row(core[v]).data());
    }
    place_hanging(hanging, degrees<T>(graph.weights), result.b);
    for (const auto& [node, anchor] : hanging)
      std::ranges::copy(result.weights.row(anchor), result.weights.row(node).begin());
  }
  result.blocks = std::move(best.blocks);
  result.history = std::move(best.history);
  result.labels_of_start = best.labels_of_start;
  result.quality = graph_quality<T>(graph.weights, result.labels);
  return result;
}

template GraphClusters<float> cluster_graph(const Graph<float>&, const GraphClusterOptions&);
template GraphClusters<double> cluster_graph(const Graph<double>&, const GraphClusterOptions&);

}  // namespace copse
