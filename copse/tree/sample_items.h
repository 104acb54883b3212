// Which items stand for all of a node when a rank-2 NMF starts.
#pragma once

#include <span>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// Some items in ascending order. Item `items[i]` is multiplied by `factors[i]`, so that X X' of the sample is that of
// all items on average.
struct SampledItems {
  std::vector<RowIndex> items;
  std::vector<double> factors;
};

// The samples on which a rank-2 NMF of so many items begins: of one item in so many. 1: it has no sample.
struct SampleStrides {
  Index first = 1;
  Index second = 1;  // the finer one that follows; 1: none does
};
SampleStrides sample_strides(Index items);

// One item in `stride`, drawn by priority [Duffield et al. 2007]: each item has a number u_j in (0, 1] as if at random,
// and those with the largest q_j / u_j are taken, where q_j is the squared norm. With the largest of the others, t, the
// factor of an item is sqrt(max(1, t / q_j)): heavy items are certain, and items of equal norms have equal chances. u_j
// depends on `stride` and on the item's number in the whole: where a node has an item more or less, the sample is
// another by one item. `numbers` may be empty: 0, 1, 2, ... An item without entries is never drawn.
SampledItems sample_items(std::span<const double> squared_norms, Index stride, std::span<const RowIndex> numbers = {});
// The items of all samples of sample_strides(), in ascending order.
std::vector<RowIndex> items_of_samples(std::span<const double> squared_norms, std::span<const RowIndex> numbers = {});

}  // namespace copse
