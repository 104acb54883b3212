// A start for rank-2 NMF that needs no seed.
#pragma once

#include "copse/tree/node_data.h"

namespace copse {

// W (terms x 2, unit columns): in the plane of the two leading left singular vectors u1, u2 of every stride-th item,
// the directions with 5 % of the items beyond them on either side, negative entries set to zero. The vectors come from
// a block Krylov space. `reads` is increased by the number of reads of all items.
template <class T>
Matrix<T> singular_rays(const NodeData<T>& x, Index stride, double& reads);

}  // namespace copse
