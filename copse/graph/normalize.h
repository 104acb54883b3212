// The matrix that is factorized: weights divided by the roots of degrees.
#pragma once

#include "copse/graph/graph.h"

namespace copse {

// A = D^-1/2 E D^-1/2, [Kuang 2014, eq. 30], with damped degrees D = diag(d_i + tau mean(d)). tau = 0 is the normalized
// cut of the papers. Damping keeps small loose pieces of sparse graphs from taking the leading eigenvectors (Amini,
// Chen, Bickel & Levina 2013).
template <class T>
SparseMatrix<T> normalized(SparseView<T> weights, double tau);

}  // namespace copse
