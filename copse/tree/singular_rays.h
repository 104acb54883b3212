// A start for rank-2 NMF that needs no random numbers.
#pragma once

#include "copse/tree/node_data.h"

namespace copse {

// W (terms x 2, unit columns): in the plane of the two leading left singular vectors u1, u2 of X, the directions with
// 5 % of the items beyond them on either side, no entry quite zero. The vectors come from the block Krylov
// space of X X' that begins with `space`, two sums of items with positive weights. It takes singular_rays_reads reads.
template <class T>
Matrix<T> singular_rays(const NodeData<T>& x, const Matrix<T>& space);

}  // namespace copse
