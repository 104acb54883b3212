// Parts of the items, drawn by what they hold, so that the order of the items does not matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

// A number for every item by what it holds: the features of a sparse item, the values of a dense one. Equal items are
// told apart by their order.
template <class T>
std::vector<std::uint64_t> item_keys(const Dataset<T>& data);

// The items by what they hold: the same items in another order give the same list of items. Equal items stand in their
// own order.
template <class T>
std::vector<Index> content_order(const Dataset<T>& data);

// One number from several, for seeds of runs.
std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);

// So many of the items, all if there are no more, ascending.
std::vector<Index> draw_count(std::span<const std::uint64_t> keys, std::size_t count, std::uint64_t seed);

// This share of the items, rounded up, ascending.
std::vector<Index> draw_items(std::span<const std::uint64_t> keys, double share, std::uint64_t seed);

// Those of 0 ... count - 1 that are not among `items`, which are ascending.
std::vector<Index> other_items(std::span<const Index> items, Index count);

// The values of these items; names are left out.
template <class T>
Dataset<T> part_of(const Dataset<T>& data, std::span<const Index> items);

// X': what was an item is a feature.
template <class T>
Dataset<T> transposed(const Dataset<T>& data);

}  // namespace copse
