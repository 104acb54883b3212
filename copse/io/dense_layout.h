// How the entries of a dense array lie in a file, and the way from there to item-major memory.
#pragma once

#include <numeric>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/io/matrix_file.h"

namespace copse {

// Entry (feature f, item j) is number feature_places[f] + j * item_step in the file.
struct DenseLayout {
  Index items = 0;
  Index item_step = 0;
  std::vector<Index> feature_places;
  bool features_adjacent = false;  // the file is item-major already
};

// An array with any number of axes, of which the last (Items::columns) or the first (Items::rows) counts the items. The
// others become features, the last of them running fastest. `fortran`: in the file the first axis runs fastest.
DenseLayout array_layout(std::span<const Index> shape, bool fortran, Items items);

// x(j, f) = load(place) for all items and features; tiles keep both sides of a transposition in cache.
template <class T, class Load>
void gather(const DenseLayout& layout, const Load& load, Matrix<T>& x) {
  constexpr Index tile = 64;
  const auto features = static_cast<Index>(layout.feature_places.size());
  parallel_blocks(layout.items, tile, [&](Index begin, Index end) {
    for (Index first = 0; first < features; first += tile) {
      const Index last = std::min(features, first + tile);
      for (Index j = begin; j < end; ++j) {
        T* const row = x.data() + j * features;
        const Index* const places = layout.feature_places.data();
        for (Index f = first; f < last; ++f) row[f] = static_cast<T>(load(places[f] + j * layout.item_step));
      }
    }
  });
}

}  // namespace copse
