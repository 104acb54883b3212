// One factor of X ~ B G for the Kullback-Leibler divergence, entries of X that are not zero only.
// For item x it is min_g f(g) = s'g - sum_i x_i log(b_i'g), g >= 0, where s holds the column sums of B.
#pragma once

#include <span>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

enum class DivergenceMethod {
  multiplicative,  // g_c <- g_c (sum_i b_ic x_i / (b_i'g)) / s_c [Lee & Seung 2001]; zeros stay
  coordinate  // one coordinate after the other by Newton's method [Hsieh & Dhillon 2011, 3.2], see divergence.cpp
};

struct DivergenceSums {
  double logs = 0;      // sum of x log(x / b'g) over the entries, after the update
  double decrease = 0;  // sum of |slope * step| over the coordinates: zero exactly when g meets the KKT conditions
  DivergenceSums& operator+=(const DivergenceSums& other) {
    logs += other.logs;
    decrease += other.decrease;
    return *this;
  }
};

// Updates `rounds` times the rows of g (x.cols x k, of which g points to the first) for the items of x; f never rises.
// Row i of b belongs to feature i. b'g below `floor` counts as `floor`. An item without entries gets zero, and so does
// a coordinate with s_c = 0.
template <class T>
DivergenceSums update_divergence(DivergenceMethod method, int rounds, const SparseView<T>& x, const Matrix<T>& b,
                                 std::span<const double> sums, double floor, T* g);

}  // namespace copse
