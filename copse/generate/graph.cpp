#include "copse/generate/graph.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "copse/base/error.h"
#include "copse/generate/column_blocks.h"
#include "copse/generate/skips.h"

namespace copse {

template <class T>
Planted<T> generate_graph(const GraphOptions& options) {
  if (options.nodes < 1 || options.nodes > std::numeric_limits<RowIndex>::max())
    throw InvalidArgument("a graph needs at least one node and less than 2^31");
  if (options.k < 1 || options.k > options.nodes)
    throw InvalidArgument("the number of clusters of a graph must be between 1 and the number of nodes");
  if (!(options.degree >= 0) || !(options.mixing >= 0 && options.mixing <= 1))
    throw InvalidArgument("the degree of a graph must not be negative, and its mixing must be between 0 and 1");

  Planted<T> result{.labels = balanced_labels(options.nodes, options.k, options.seed)};
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(options.k));
  for (Index j = 0; j < options.nodes; ++j) members[result.labels[j]].push_back(j);
  // Neighbours that a node has on average to choose from, in its own cluster and in the others.
  double own = 0;
  for (const auto& cluster : members)
    own += static_cast<double>(cluster.size()) * static_cast<double>(cluster.size() - 1);
  own /= static_cast<double>(options.nodes);
  const double others = static_cast<double>(options.nodes - 1) - own;
  const double inside = options.degree * (1 - options.mixing), outside = options.degree * options.mixing;
  if (inside > own || outside > others)
    throw InvalidArgument("a graph of " + std::to_string(options.nodes) + " nodes in " + std::to_string(options.k) +
                          " clusters has not enough pairs for a mean degree of " + std::to_string(options.degree) +
                          " with a mixing of " + std::to_string(options.mixing));
  const double inside_probability = own > 0 ? inside / own : 0;
  const double outside_probability = others > 0 ? outside / others : 0;

  // Node j draws its neighbours i > j; a candidate of its own cluster in the second draw is passed over.
  auto lower = build_blocks<T>(options.nodes, [&](Index j, ColumnBlock<T>& block) {
    Random random(options.seed, static_cast<std::uint64_t>(j));
    const auto& cluster = members[result.labels[j]];
    const Index place = std::lower_bound(cluster.begin(), cluster.end(), j) - cluster.begin();
    const auto first = static_cast<Index>(block.indices.size());
    choose_each(place + 1, static_cast<Index>(cluster.size()), inside_probability, random,
                [&](Index member) { block.indices.push_back(static_cast<RowIndex>(cluster[member])); });
    const auto middle = static_cast<Index>(block.indices.size());
    choose_each(j + 1, options.nodes, outside_probability, random, [&](Index i) {
      if (result.labels[i] != result.labels[j]) block.indices.push_back(static_cast<RowIndex>(i));
    });
    const auto begin = block.indices.begin();
    std::inplace_merge(begin + first, begin + middle, block.indices.end());
    block.values.resize(block.indices.size(), T(1));
  });
  const auto below = join_blocks(options.nodes, options.nodes, std::move(lower));
  const auto above = transpose<T>(below);
  auto both = build_blocks<T>(options.nodes, [&](Index j, ColumnBlock<T>& block) {
    for (const auto* half : {&above, &below}) {
      const auto begin = half->indices.begin();
      block.indices.insert(block.indices.end(), begin + half->offsets[j], begin + half->offsets[j + 1]);
    }
    block.values.resize(block.indices.size(), T(1));
  });
  result.data.values = join_blocks(options.nodes, options.nodes, std::move(both));
  return result;
}

template Planted<float> generate_graph(const GraphOptions&);
template Planted<double> generate_graph(const GraphOptions&);

}  // namespace copse
