// Affinity propagation [Frey & Dueck 2007]. Extras: exemplars, preference, damping, converged, tries.
#include <fmt/format.h>

#include <algorithm>

#include "copse/base/parallel.h"
#include "copse/cluster/affinity_propagation.h"
#include "copse/methods/registration.h"
#include "copse/methods/runs.h"

namespace copse {
namespace {

// Items whose pairs all take part: 225 MB.
constexpr Index most_of_all_pairs = 2500;

OptionRows rows_of_affinity() {
  using Of = AffinityOptions;
  RowsOf<Of> rows;
  rows.row("preference", &Of::preference, "How much an item would stand for itself, where the search for -k begins")
      .otherwise("the median similarity")
      .newer();
  rows.row("damping", &Of::damping, "Share of the old message in the new one").within(0.5, 0.999).newer();
  rows.row("most_damping", &Of::most_damping,
           "Messages that do not settle are repeated with damping half the way to 1, up to here; 0: never")
      .within(0, 1)
      .newer();
  rows.row("stable_iterations", &Of::stable_iterations, "Exemplars that have not changed for so long have settled")
      .within(1, std::numeric_limits<int>::max())
      .newer();
  return rows.done();
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

// Up to most_of_all_pairs items are compared all with each other, by -|x - y|^2. For more, or without items, the
// weights of the graph are the similarities: an item can only choose a neighbour, so the least number of clusters that
// can be had is about the number of items over the number of neighbours. The objective is the net similarity.
template <class T>
AffinityResult exemplars_of(const MethodData<T>& data, const AffinityOptions& options) {
  if (data.similarities != nullptr) return affinity_propagation(*data.similarities, options);
  if (data.items != nullptr && std::max(data.whole, data.count()) <= most_of_all_pairs)
    return affinity_propagation(negative_distances(*data.items), options);
  return affinity_propagation<T>(data.graph->weights, options);
}

template <class T>
MethodResult<T> fit(const MethodData<T>& data, const MethodOptions& options, const AffinityOptions& own) {
  MethodResult<T> result;
  AffinityOptions affinity = own;
  affinity.k = options.k;
  affinity.time_limit = options.time_limit;
  if (options.max_iterations > 0) affinity.max_iterations = options.max_iterations;
  affinity.progress = reporting<AffinityIteration>(options, result.history, [](const AffinityIteration& iteration) {
    return static_cast<double>(iteration.clusters);
  });
  AffinityResult found = exemplars_of(data, affinity);
  result.k = static_cast<Index>(found.exemplars.size());
  result.labels = std::move(found.labels);
  result.objective = found.net_similarity;
  result.larger_is_better = true;
  result.stop_reason = found.stop_reason;
  result.iterations = found.iterations;
  if (!found.converged)
    result.notes.push_back(
        "The messages of affinity propagation did not settle; the clusters are those of its last iteration.");
  if (options.k > 0 && result.k > options.k)
    result.notes.push_back(
        fmt::format("No preference gave {} clusters; {} is the nearest number that was found.", options.k, result.k));
  if (data.items != nullptr) {
    result.w = Matrix<T>(data.items->features(), result.k);
    for (Index c = 0; c < result.k; ++c)
      visit_nonzeros(*data.items, found.exemplars[c], [&](Index feature, T value) { result.w(feature, c) = value; });
  }
  result.extras = {{"exemplars", std::move(found.exemplars)},
                   {"preference", found.preference},
                   {"damping", found.damping},
                   {"converged", found.converged},
                   {"tries", static_cast<Index>(found.runs)}};
  return result;
}

}  // namespace

const Method& registered::affinity_propagation() {
  static const Method method =
      with_fit({.name = "affinity-propagation",
                .meaning = "items that stand for others, chosen among themselves",
                .traits = {.reads = Reads::graph,
                           .chooses_k = true,
                           .random = false,
                           .growth = 1.5,
                           .compared = Compared::with_time_limit},
                .cost =
                    [](const Workload& work, const MethodOptions& options) {
                      constexpr double pair_bytes = 36 + sizeof(double);
                      const double n = work.items;
                      const double pairs = n <= static_cast<double>(most_of_all_pairs) ? n * n : edges_of(work);
                      return Cost{described_bytes(work, options) + pair_bytes * pairs, pairs};
                    }},
               AffinityOptions{}, rows_of_affinity(),
               []<class T>(const MethodData<T>& data, const MethodOptions& options, const AffinityOptions& own) {
                 return fit(data, options, own);
               });
  return method;
}

}  // namespace copse
