// Sparse matrices without structure, as in [Du et al. 2017, table 1].
#pragma once

#include <cstdint>

#include "copse/matrix/dataset.h"

namespace copse {

struct UniformSparseOptions {
  Index features = 0;     // required: m, at most 2^31 - 1
  Index items = 0;        // required: n
  double density = 0.01;  // probability that an entry is not zero, 0 ... 1
  std::uint64_t seed = 0;
};

// Entries that are not zero are uniform in (0, 1). Throws InvalidArgument for an option out of range.
template <class T>
Dataset<T> generate_uniform_sparse(const UniformSparseOptions& options);

}  // namespace copse
