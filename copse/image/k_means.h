// K-means of the rows of a matrix [Lloyd 1982], from starts that are spread out [Arthur & Vassilvitskii 2007].
#pragma once

#include <cstdint>
#include <vector>

#include "copse/matrix/dense.h"

namespace copse {

struct KMeansOptions {
  Index clusters = 0;  // required: at least 1
  int max_iterations = 30;
  std::uint64_t seed = 0;
};

// Labels 0, 1, ... in the order of the first row of each; fewer than `clusters` where there are fewer different rows.
// A cluster that loses all rows takes the row that is farthest from its centre.
std::vector<Index> k_means(const Matrix<float>& rows, const KMeansOptions& options);

}  // namespace copse
