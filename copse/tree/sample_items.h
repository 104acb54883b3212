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

// About one item in `stride`, drawn at random with a chance that grows with its squared norm q_j up to certainty:
// p_j = min(1, q_j / t), where the p_j add up to the size of the sample, and the factor 1 / sqrt(p_j). Items of equal
// norms have equal chances. The draw is stratified: the items are lined up with lengths p_j, and each unit of length
// gives one. The random numbers depend on `stride` only. An item without entries is never drawn.
SampledItems sample_items(std::span<const double> squared_norms, Index stride);
// The items of all samples of sample_strides(), in ascending order.
std::vector<RowIndex> items_of_samples(std::span<const double> squared_norms);

}  // namespace copse
