// Items that a converged rank-2 NMF leaves without any support, and where to begin again if they are worth a topic.
#pragma once

#include <optional>

#include "copse/tree/node_data.h"
#include "copse/tree/rank2_result.h"

namespace copse {

// Where W is zero for all features of an item, and H for the item, the gradient is zero as well: alternation never
// gives the item a coefficient, whatever W leaves out. Let Z be the items that W H does not explain, and d what |W H|^2
// would lose without the lesser of the two topics. If the largest squared singular value of X_Z exceeds d, then its
// singular vector in place of the lesser topic explains more. Returns this W, with unit columns, or nothing. `factors`
// are unit columns of W and their exact H.
template <class T>
std::optional<Matrix<T>> supported_start(const NodeData<T>& x, const Rank2Result<T>& factors, double& entries_read);

}  // namespace copse
