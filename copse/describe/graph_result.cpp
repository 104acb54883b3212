#include "copse/describe/graph_result.h"

#include <algorithm>
#include <numeric>

#include "copse/graph/quality.h"

namespace copse {

template <class T>
void describe(GraphResult<T>& result) {
  const CommunityModel<T>& model = result.model;
  RunReport& report = result.report;
  result.view = view_of(model, {.overlap = result.overlap, .central = result.top});
  const GraphQuality quality = graph_quality<T>(model.graph.weights, model.labels);
  const Components components = connected_components<T>(model.graph.weights);
  GraphFacts& facts = report.graph.emplace();
  facts.nodes = model.graph.nodes();
  facts.edges = model.graph.edges();
  facts.components = components.count();
  facts.isolated = components.isolated;
  facts.pieces = static_cast<Index>(result.view.piece_sizes.size());
  facts.nodes_set_aside = std::accumulate(result.view.piece_sizes.begin(), result.view.piece_sizes.end(), Index(0));
  facts.modularity = quality.modularity;
  facts.normalized_cut = quality.normalized_cut;
  facts.coverage = quality.coverage;
  facts.communities = result.view.communities;
  for (const Community& community : facts.communities)
    facts.conductance += community.conductance / static_cast<double>(facts.communities.size());
  facts.labels_of_start = model.labels_of_start;
  // Items that were dropped have no community; those that were kept out have that of their neighbours.
  std::vector<Index> labels(model.items.item_names.size(), -1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (result.view.numbers[i] >= 0) labels[i] = model.labels[result.view.numbers[i]];
  }
  for (std::size_t i = 0; i < model.items.outside_items.size(); ++i) {
    if (!model.items.outside_ids[i].empty())
      labels[model.items.outside_items[i]] = std::stoll(model.items.outside_ids[i]);
  }
  report.items_without_cluster = std::ranges::count(labels, Index(-1));
  report.measures = measure(model.items, labels);
}

template void describe(GraphResult<float>&);
template void describe(GraphResult<double>&);

}  // namespace copse
