// A tree that a team grows together: the entries of the items are spread, all else is with everyone.
#pragma once

#include <memory>
#include <span>

#include "copse/base/team.h"
#include "copse/tree/node_data.h"

namespace copse {

// Everyone reads the items starts[rank] ... starts[rank + 1] - 1 of `items`, and gets the same tree. A read sends X H',
// two columns, and sums; a factorization sends its H once. `items` and `team` must outlive it, and all members must
// make the same calls.
template <class T>
std::unique_ptr<TreeData<T>> shared_tree_data(const BlockedItems<T>& items, double memory, const Team& team,
                                              std::span<const Index> starts);

}  // namespace copse
