#include "copse/choose/pictures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace copse {

template <class T>
ConsensusPicture consensus_picture(const Survey<T>& survey, const std::vector<RunRecord>& records, Index k,
                                   Index most) {
  const auto is_sample = [&](const RunRecord& record) {
    return record.key.kind == RunKind::resample && record.key.k == k && record.failure.empty();
  };
  if (k < 1 || std::ranges::none_of(records, is_sample)) return {};
  const Consensus consensus = consensus_of(survey, records, RunKind::resample, k);
  const Dendrogram dendrogram = average_linkage(consensus.distances());
  const std::vector<Index> order = dendrogram.order(), clusters = dendrogram.cut(k);
  const auto n = static_cast<Index>(order.size()), shown = std::min(n, most);
  ConsensusPicture picture{.k = k, .items = {}, .clusters = {}, .percent = {}};
  std::vector<Index> places;
  for (Index e = 0; e < shown; ++e) places.push_back(order[n * e / shown]);
  for (const Index place : places) {
    picture.items.push_back(survey.order()[consensus.watched()[place]]);
    picture.clusters.push_back(clusters[place]);
    for (const Index other : places)
      picture.percent.push_back(static_cast<std::uint8_t>(std::lround(100 * consensus.value(place, other))));
  }
  return picture;
}

std::vector<ClusterFlow> cluster_flows(const std::vector<RunRecord>& records, const std::vector<Index>& ks) {
  std::vector<ClusterFlow> flows;
  std::vector<Index> before, position;  // labels of the k before, and where its clusters stand
  for (const Index k : ks) {
    const std::vector<Index> labels = best_labels(records, k);
    if (labels.empty()) continue;
    std::vector<double> centre(static_cast<std::size_t>(k)), size(static_cast<std::size_t>(k));
    for (std::size_t j = 0; j < labels.size(); ++j) {
      if (labels[j] < 0) continue;
      ++size[labels[j]];
      if (!before.empty() && before[j] >= 0) centre[labels[j]] += static_cast<double>(position[before[j]]);
    }
    // By where most of a cluster comes from; the first k by size.
    std::vector<Index> order(static_cast<std::size_t>(k));
    std::iota(order.begin(), order.end(), Index(0));
    std::ranges::stable_sort(order, {},
                             [&](Index c) { return before.empty() || size[c] == 0 ? -size[c] : centre[c] / size[c]; });
    std::vector<Index> next(static_cast<std::size_t>(k));
    for (Index p = 0; p < k; ++p) next[order[p]] = p;
    if (!before.empty()) {
      ClusterFlow flow{.from = static_cast<Index>(position.size()), .to = k, .counts = {}};
      flow.counts.assign(position.size(), std::vector<Index>(static_cast<std::size_t>(k)));
      for (std::size_t j = 0; j < labels.size(); ++j) {
        if (labels[j] >= 0 && before[j] >= 0) ++flow.counts[position[before[j]]][next[labels[j]]];
      }
      flows.push_back(std::move(flow));
    }
    before = labels;
    position = next;
  }
  return flows;
}

template ConsensusPicture consensus_picture(const Survey<float>&, const std::vector<RunRecord>&, Index, Index);
template ConsensusPicture consensus_picture(const Survey<double>&, const std::vector<RunRecord>&, Index, Index);

}  // namespace copse
