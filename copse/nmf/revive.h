// A component that died, zero in one factor or both, can never come back by itself: the penalties of sparse NMF or a
// poor start kill some, and the clusters that are left share the items. The dead are given the largest parts of the
// residual.
#pragma once

#include <cstdint>
#include <span>

#include "copse/matrix/data.h"
#include "copse/nmf/start.h"

namespace copse {

// Makes the columns `dead` of both factors nonnegative pairs (u, v) of the residual E = X - W H: from the start NNDSVD
// of E a step u = max(0, E v), v = max(0, E'u), with |u| = norm. A pair that would lessen `squared_error`, |E|^2, by
// less than the share `least_gain` is left out. Returns how many came to life.
template <class T>
Index revive_components(const Data<T>& x, Factors<T>& factors, std::span<const Index> dead, double norm,
                        double squared_error, double least_gain, std::uint64_t seed);

}  // namespace copse
