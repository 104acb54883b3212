#include "copse/describe/flat_result.h"

#include <algorithm>

#include "copse/describe/topics.h"

namespace copse {

template <class T>
void describe(FlatResult<T>& result) {
  const FlatModel<T>& model = result.model;
  RunReport& report = result.report;
  result.view = view_of(model);
  report.topics = describe_topics(model.w, model.items.feature_names, result.top);
  for (std::size_t c = 0; c < report.topics.size(); ++c) {
    report.topics[c].items = result.view.nodes[c + 1].size;
    report.topics[c].label = result.view.nodes[c + 1].label;
    report.topics[c].coherence = result.view.nodes[c + 1].coherence;
    report.topics[c].stability = result.view.nodes[c + 1].stability;
  }
  std::vector<Index> labels = result.view.labels();
  for (Index& label : labels) label -= label > 0 ? 1 : 0;  // nodes[0] is the root
  report.items_without_cluster = std::ranges::count(labels, Index(-1));
  report.measures = measure(model.items, labels);
  if (!model.items.classes.empty()) add_main_classes(report.topics, labels, model.items.classes);
}

template void describe(FlatResult<float>&);
template void describe(FlatResult<double>&);

}  // namespace copse
