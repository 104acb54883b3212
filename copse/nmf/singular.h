// The leading singular triplets of X from its two products only.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/matrix/data.h"

namespace copse {

template <class T>
struct SingularTriplets {
  Matrix<T> u;                  // rows x k, orthonormal columns
  std::vector<double> weights;  // k singular values, descending
  Matrix<T> v;                  // cols x k, orthonormal columns
};

constexpr int enough_power_iterations = 6;

// Randomized subspace iteration (Halko, Martinsson & Tropp 2011, algorithm 4.4): more power iterations, more exact.
// Beyond the rank of X the weights and the columns are zero.
template <class T>
SingularTriplets<T> leading_singular_triplets(const Data<T>& x, Index count, std::uint64_t seed,
                                              int power_iterations = enough_power_iterations);

}  // namespace copse
