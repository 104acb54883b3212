// Silhouettes [Rousseeuw 1987] of all items without n x n distances: mean distances to a cluster follow from its sums.
#pragma once

#include <span>

#include "copse/matrix/dataset.h"

namespace copse {

// The mean over all items with a label >= 0 of (b - a) / max(a, b), where a is the item's mean distance to the others
// of its cluster and b the least mean distance to another cluster. The distance is 1 - cosine for sparse items (1 from
// an item of zeros) and |x - y|^2 for dense ones. 0 for an item that is alone, and where there is one cluster. Throws
// InvalidArgument unless there is one label per item.
template <class T>
double mean_silhouette(const Dataset<T>& items, std::span<const Index> labels);

}  // namespace copse
