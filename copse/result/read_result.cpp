#include "copse/result/read_result.h"

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
  if (result.model.history.empty())
    result.explanation = explain_leaves(result.tree(), tree_options_in(stored.report.settings, 0).leaves);
  return result;
}

#define COPSE_INSTANTIATE(T)                                       \
  template FlatResult<T> read_flat_result<T>(const StoredResult&); \
  template TreeResult<T> read_tree_result<T>(const StoredResult&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
