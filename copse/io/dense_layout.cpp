#include "copse/io/dense_layout.h"

namespace copse {

DenseLayout array_layout(std::span<const Index> shape, bool fortran, Items items) {
  const std::size_t axes = shape.size();
  std::vector<Index> steps(axes, 1);
  for (std::size_t a = 1; a < axes; ++a) {
    if (fortran) {
      steps[a] = steps[a - 1] * shape[a - 1];
    } else {
      steps[axes - 1 - a] = steps[axes - a] * shape[axes - a];
    }
  }
  const std::size_t item_axis = items == Items::rows ? 0 : axes - 1;
  DenseLayout layout{.items = shape[item_axis], .item_step = steps[item_axis], .feature_places = {0}};
  for (std::size_t a = 0; a < axes; ++a) {
    if (a == item_axis) continue;
    std::vector<Index> places;
    places.reserve(layout.feature_places.size() * static_cast<std::size_t>(shape[a]));
    for (Index before : layout.feature_places) {
      for (Index i = 0; i < shape[a]; ++i) places.push_back(before + i * steps[a]);
    }
    layout.feature_places = std::move(places);
  }
  layout.features_adjacent = fortran ? items == Items::columns && axes == 2 : items == Items::rows;
  return layout;
}

}  // namespace copse
