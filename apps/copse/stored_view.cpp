#include "apps/copse/stored_view.h"

namespace copse {
namespace {

template <class T>
StoredView read_view_of(const StoredResult& stored, const ViewLimits& limits) {
  if (stored.is_tree()) {
    TreeModel<T> model = read_tree_model<T>(stored.model_path());
    TopicView view = view_of(model, limits);
    return {std::move(view), std::move(model.items)};
  }
  FlatModel<T> model = read_model<T>(stored.model_path());
  TopicView view = view_of(model, limits);
  return {std::move(view), std::move(model.items)};
}

}  // namespace

StoredView read_view(const StoredResult& stored, const ViewLimits& limits) {
  return stored.precision() == Precision::single ? read_view_of<float>(stored, limits)
                                                 : read_view_of<double>(stored, limits);
}

}  // namespace copse
