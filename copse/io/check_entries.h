// Whether a matrix holds what nonnegative factorization can read.
#pragma once

#include <string>

#include "copse/matrix/dataset.h"

namespace copse {

// Throws InputError for the first entry that is negative, infinite or not a number; `name` says whose entry it is.
template <class T>
void check_nonnegative(const Dataset<T>& dataset, const std::string& name);

}  // namespace copse
