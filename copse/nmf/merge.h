// From more components to fewer.
#pragma once

#include "copse/nmf/factors.h"

namespace copse {

// Until only `count` of the first `components` columns are left, replaces the two whose sum w_p h_p' + w_q h_q' is
// nearest to a matrix of rank one by that matrix. Columns behind the first `components` stay as they are.
template <class T>
void merge_components(const Data<T>& x, Factors<T>& factors, Index components, Index count);

}  // namespace copse
