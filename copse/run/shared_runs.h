// Runs from several starts, spread over a team of which everyone has all items.
#pragma once

#include "copse/base/team.h"
#include "copse/nmf/nmf.h"

namespace copse {

// factorize(x, options) where everyone makes some of the runs: the first gets the result, to the bit that of one
// process, and the others nothing. Throws what factorize() does, and Cancelled for all where no run has a result.
template <class T>
NmfResult<T> spread_runs(const Data<T>& x, const NmfOptions& options, const Team& team);

}  // namespace copse
