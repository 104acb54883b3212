#include "copse/describe/stored_view.h"

namespace copse {
namespace {

template <class T>
StoredView read_view_of(const StoredResult& stored, const ViewLimits& limits) {
  if (stored.is_tree()) {
    TreeModel<T> model = read_tree_model<T>(stored.model);
    TopicView view = view_of(model, limits);
    return {std::move(view), std::move(model.items)};
  }
  FlatModel<T> model = read_model<T>(stored.model);
  TopicView view = view_of(model, limits);
  return {std::move(view), std::move(model.items)};
}

}  // namespace

StoredView read_view(const StoredResult& stored, const ViewLimits& limits) {
  return with_precision(stored.precision(), [&]<class T> { return read_view_of<T>(stored, limits); });
}

}  // namespace copse
