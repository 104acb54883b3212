#include "copse/report/graph_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "copse/options/wording.h"

namespace copse {
namespace {

std::string cell(std::string text) {
  for (char& c : text) c = c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
  return text;
}

}  // namespace

template <class T>
std::string graph_assignments_tsv(const GraphResult<T>& result) {
  const ModelItems& items = result.model.items;
  std::string text = "item\tcluster\tweight\tmemberships\n";
  std::size_t outside = 0;
  for (std::size_t i = 0; i < items.item_names.size(); ++i) {
    text += cell(items.item_names[i]);
    while (outside < items.outside_items.size() && items.outside_items[outside] < static_cast<Index>(i)) ++outside;
    const bool placed = outside < items.outside_items.size() && items.outside_items[outside] == static_cast<Index>(i);
    if (result.view.numbers[i] >= 0) {
      const GraphNode& node = result.view.nodes[result.view.numbers[i]];
      text += fmt::format("\t{}\t{:.6g}\t{}:{:.4g}", node.community, node.weight, node.community, node.weight);
      for (const auto& [community, share] : node.also) text += fmt::format(" {}:{:.4g}", community, share);
    } else if (placed && !items.outside_ids[outside].empty()) {
      const auto& id = items.outside_ids[outside];
      text += fmt::format("\t{}\t{:.6g}\t{}:{:.4g}", id, items.outside_weights[outside], id,
                          items.outside_weights[outside]);
    } else {
      text += "\t" + items.no_topic() + "\t0\t";
    }
    text += "\n";
  }
  return text;
}

std::string communities_tsv(const GraphFacts& facts) {
  const bool features = std::ranges::any_of(facts.communities, [](const auto& c) { return !c.top_features.empty(); });
  const bool classes = std::ranges::any_of(facts.communities, [](const auto& c) { return !c.main_class.empty(); });
  std::string text = "cluster\tnodes\toverlapping\tinside\tleaving\tconductance\tcentral\tneighbours";
  text += std::string(features ? "\tfeatures" : "") + (classes ? "\tclass\tclass_share\n" : "\n");
  for (const Community& community : facts.communities) {
    std::vector<std::string> central, neighbours, best;
    for (const CommunityNode& node : community.central) central.push_back(cell(node.name));
    for (const CommunityLink& link : community.neighbours)
      neighbours.push_back(fmt::format("{}:{:.6g}", link.community, link.weight));
    for (std::size_t f = 0; f < std::min<std::size_t>(10, community.top_features.size()); ++f)
      best.push_back(cell(community.top_features[f].first));
    text += fmt::format("{}\t{}\t{}\t{:.6g}\t{:.6g}\t{:.4g}\t{}\t{}", community.id, community.nodes,
                        community.overlapping, community.inside, community.leaving, community.conductance,
                        joined(central, ", "), joined(neighbours, " "));
    if (features) text += "\t" + joined(best, ", ");
    if (classes) text += fmt::format("\t{}\t{:.4g}", cell(community.main_class), community.main_class_share);
    text += "\n";
  }
  return text;
}

template std::string graph_assignments_tsv(const GraphResult<float>&);
template std::string graph_assignments_tsv(const GraphResult<double>&);

}  // namespace copse
