// A start for rank-2 NMF that needs no seed.
#pragma once

#include "copse/tree/node_data.h"

namespace copse {

// What the function reads of the data, in reads of all items.
inline constexpr int singular_rays_reads = 4;

// W (terms x 2, unit columns): in the plane of the two leading left singular vectors u1, u2 of X, the directions with
// 5 % of the items beyond them on either side, no entry quite zero. The vectors come from the block Krylov
// space of X X' that begins with `space`, two sums of items with positive weights.
template <class T>
Matrix<T> singular_rays(const NodeData<T>& x, const Matrix<T>& space);

}  // namespace copse
