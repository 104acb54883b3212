// Measures of factors and clusters that need no truth.
#pragma once

#include <span>

#include "copse/matrix/dataset.h"
#include "copse/matrix/dense.h"

namespace copse {

// Share of the entries that are exactly zero [Kuang 2014, table 4]; 0 for an empty matrix.
template <class T>
double zero_share(const Matrix<T>& factor);

// Sum of squared errors [Kuang 2014, eq. 4]: sum_j |x_j - c(label of j)|^2, where c is the mean of the items with that
// label.
// Throws InvalidArgument unless there is one label per item.
template <class T>
double sum_of_squared_errors(const Dataset<T>& data, std::span<const Index> labels);

}  // namespace copse
