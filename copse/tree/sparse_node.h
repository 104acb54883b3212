// Nodes of sparse items, cut out of a matrix, of blocks or of other nodes.
#pragma once

#include <memory>

#include "copse/tree/node_data.h"
#include "copse/tree/node_items.h"

namespace copse {

// `own` tells which of the chosen items the source has. Features are counted, unless it is known how many have each.
template <class T, class Source>
std::unique_ptr<NodeData<T>> cut_items(Source source, Index rows, const Chosen& chosen, Numbering numbers,
                                       const OwnItems& own = {}, TakenMemory taken = {}, FeatureCounts known = {});

// A store for these items, with the memory that was taken for it, which is to be filled; or filled in one read.
template <class T>
std::shared_ptr<ItemStore<T>> empty_store(const BlockedHome<T>& home, std::vector<RowIndex> items, TakenMemory taken);
template <class T>
std::shared_ptr<ItemStore<T>> fetch_store(const BlockedHome<T>& home, std::vector<RowIndex> items, TakenMemory taken);
// The same where there is room for the items, and for a node of them; else null. Null for no items.
template <class T>
std::shared_ptr<ItemStore<T>> room_for_store(const BlockedHome<T>& home, std::vector<RowIndex> items);

// The numbers of ascending items of a store that has them all.
template <class T>
std::vector<RowIndex> numbers_in(const ItemStore<T>& store, std::span<const RowIndex> items);

}  // namespace copse
