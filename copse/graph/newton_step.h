// The blocks of the Hessian that the Newton-like algorithm uses.
#pragma once

#include <span>

#include "copse/matrix/dense.h"

namespace copse {

// 4 (B B' - A + b_c b_c' + (b_c'b_c) I) for the given rows and columns, [Kuang 2014, eq. 18] with i = j = c.
// `difference` is B B' - A, n x n.
Matrix<double> hessian_block(const Matrix<double>& difference, const Matrix<double>& b, Index c,
                             std::span<const Index> nodes);

}  // namespace copse
