// Index types: 64 bits for positions and sizes, 32 bits for the row numbers stored in a sparse matrix.
#pragma once

#include <cstdint>

namespace copse {

using Index = std::int64_t;
using RowIndex = std::int32_t;

}  // namespace copse
