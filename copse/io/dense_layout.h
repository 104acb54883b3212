// How the entries of a dense matrix lie in a file, and the way from there to item-major memory.
#pragma once

#include <algorithm>

#include "copse/base/parallel.h"
#include "copse/io/read_options.h"

namespace copse {

// Entry (feature f, item j) is number f * feature_step + j * item_step in the file; one of the steps is 1.
struct DenseLayout {
  Index features = 0;
  Index items = 0;
  Index feature_step = 1;
  Index item_step = 1;

  bool is_item_major() const { return feature_step == 1 && item_step == features; }
};

// A file with `rows` x `cols` entries, of which one axis counts the items. `by_column`: a column's entries are
// adjacent.
DenseLayout dense_layout(Index rows, Index cols, bool by_column, Items items);

// Some features of some items, which stand together in a file that is feature-major.
struct DenseTile {
  Index first_feature = 0;
  Index features = 0;
  Index first_item = 0;
  Index items = 0;
};

// Calls visit(tile) for tiles of at most `most` entries, in the order of a file that is feature-major.
template <class Visit>
void for_each_tile(const DenseLayout& layout, Index most, const Visit& visit) {
  const Index features = std::max<Index>(1, most / std::max<Index>(1, layout.items));
  const Index items = std::min(layout.items, most);
  for (Index f = 0; f < layout.features; f += features) {
    for (Index j = 0; j < layout.items; j += items)
      visit(DenseTile{f, std::min(features, layout.features - f), j, std::min(items, layout.items - j)});
  }
}

// x(j, f) = load(place), where `place` counts the entries of the tile as the file has them; small squares keep both
// sides of the transposition in cache.
template <class T, class Load>
void gather(const DenseTile& tile, const Load& load, Matrix<T>& x) {
  constexpr Index square = 64;
  parallel_blocks(tile.items, square, [&](Index begin, Index end) {
    for (Index from = 0; from < tile.features; from += square) {
      const Index to = std::min(tile.features, from + square);
      for (Index j = begin; j < end; ++j) {
        T* const row = x.data() + (tile.first_item + j) * x.cols() + tile.first_feature;
        for (Index f = from; f < to; ++f) row[f] = static_cast<T>(load(f * tile.items + j));
      }
    }
  });
}

}  // namespace copse
