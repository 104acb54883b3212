// A start for rank-2 NMF that needs no seed.
#pragma once

#include "copse/tree/node_data.h"

namespace copse {

// What the two functions read of the data, in reads of all items.
inline constexpr int singular_rays_reads = 4;
inline constexpr int two_leading_reads = 3;

template <class T>
struct SingularRays {
  Matrix<T> w;
  double two_leading = 0;
};

// W (terms x 2, unit columns): in the plane of the two leading left singular vectors u1, u2 of X, the directions with
// 5 % of the items beyond them on either side, no entry quite zero. The vectors come from the block Krylov
// space of X X' that begins with `space`, two sums of items with positive weights.
template <class T>
SingularRays<T> singular_rays(const NodeData<T>& x, const Matrix<T>& space);

// s1^2 + s2^2 of the two largest singular values of X, estimated from above by the Krylov space that begins with
// `space`. No rank-2 approximation W H of X has a larger |X|^2 - |X - W H|^2.
template <class T>
double two_leading(const NodeData<T>& x, const Matrix<T>& space);

}  // namespace copse
