// The largest entries of each column of a tall and skinny matrix: the words of a topic, the items of a cluster.
#pragma once

#include <vector>

#include "copse/matrix/dense.h"

namespace copse {

// For every column of f the row numbers of its `count` largest entries (all rows if there are fewer), largest first;
// of equal entries the one with the lower row number comes first.
template <class T>
std::vector<std::vector<Index>> top_entries(const Matrix<T>& f, Index count);

}  // namespace copse
