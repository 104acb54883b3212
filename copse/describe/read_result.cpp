#include "copse/describe/read_result.h"

namespace copse {

FlatResult read_flat_result(const StoredResult& stored) {
  FlatResult result;
  result.model = read_flat_model(stored.model);
  result.report = stored.report;
  describe(result);
  return result;
}

TreeResult read_tree_result(const StoredResult& stored) {
  TreeResult result;
  result.model = read_tree_model(stored.model);
  result.report = stored.report;
  describe(result);
  const Settings& settings = stored.report.settings;
  if (result.model.history.empty())
    result.explanation = explain_leaves(result.tree(), tree_options_in(settings, 0).leaves,
                                        find_setting(settings, "auto_leaves") != nullptr);
  return result;
}

GraphResult read_graph_result(const StoredResult& stored) {
  GraphResult result;
  result.model = read_graph_model(stored.model);
  result.report = stored.report;
  result.overlap = number_setting(stored.report.settings, "overlap", result.overlap);
  describe(result);
  return result;
}

StoredView read_view(const StoredResult& stored, const ViewLimits& limits) {
  const auto look = [&](auto model) -> StoredView {
    TopicView view = view_of(model, limits);
    return {std::move(view), std::move(model.items)};
  };
  return stored.is_tree() ? look(read_tree_model(stored.model)) : look(read_flat_model(stored.model));
}

}  // namespace copse
