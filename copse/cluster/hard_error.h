// How far labels alone, one centre for each item, explain the items.
#pragma once

#include <vector>

#include "copse/matrix/dataset.h"

namespace copse {

// |X - W H| / |X| where every item has the best multiple of its own column of W; so NMF would have it with one
// coefficient for each item. An item with the label -1 is not explained.
template <class T>
double hard_error(const Dataset<T>& items, const Matrix<T>& w, const std::vector<Index>& labels);

}  // namespace copse
