// A small dense graph split again and again by normalized cuts [Shi & Malik 2000], [Malik et al. 2001].
#pragma once

#include <vector>

#include "copse/matrix/dense.h"
#include "copse/matrix/sparse.h"

namespace copse {

// W_IJ = sum of e_ij over i in group I and j in group J, [Kuang 2014, eq. 31], where e_ij = a_ij sqrt(d_i d_j) undoes
// the scaling of `a`. Labels 0 ... groups - 1.
Matrix<double> contracted(SparseView<float> a, const std::vector<double>& degrees, const std::vector<Index>& labels,
                          Index groups);

// Partitions of the nodes into 2, 3, ... n parts, each splitting one part of the one before: that with the least
// normalized cut, over the places along the second eigenvector of D^-1/2 W D^-1/2. Labels of a part are stable: the new
// part gets the next number.
std::vector<std::vector<Index>> nested_splits(const Matrix<double>& w);

}  // namespace copse
