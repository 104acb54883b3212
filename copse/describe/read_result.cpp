#include "copse/describe/read_result.h"

namespace copse {

template <class T>
FlatResult<T> read_flat_result(const StoredResult& stored) {
  FlatResult<T> result;
  result.model = read_model<T>(stored.model);
  result.report = stored.report;
  describe(result);
  return result;
}

template <class T>
TreeResult<T> read_tree_result(const StoredResult& stored) {
  TreeResult<T> result;
  result.model = read_tree_model<T>(stored.model);
  result.report = stored.report;
  describe(result);
  const Settings& settings = stored.report.settings;
  if (result.model.history.empty())
    result.explanation = explain_leaves(result.tree(), tree_options_in(settings, 0).leaves,
                                        find_setting(settings, "auto_leaves") != nullptr);
  return result;
}

template <class T>
GraphResult<T> read_graph_result(const StoredResult& stored) {
  GraphResult<T> result;
  result.model = read_graph_model<T>(stored.model);
  result.report = stored.report;
  result.overlap = number_setting(stored.report.settings, "overlap", result.overlap);
  describe(result);
  return result;
}

#define COPSE_INSTANTIATE(T)                                         \
  template FlatResult<T> read_flat_result<T>(const StoredResult&);   \
  template GraphResult<T> read_graph_result<T>(const StoredResult&); \
  template TreeResult<T> read_tree_result<T>(const StoredResult&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
