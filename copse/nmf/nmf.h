// Nonnegative factorization X ~ W H:  min |X - W H|^2 + alpha |W|^2 + beta sum_j |H(:,j)|_1^2,  W, H >= 0.
#pragma once

#include <span>
#include <vector>

#include "copse/matrix/data.h"
#include "copse/nmf/options.h"

namespace copse {

// The scale of X does not matter: for 2^p X, alpha 4^p and beta the bits of W are the same and H is multiplied by 2^p,
// as long as T holds the entries. Throws InvalidArgument where the coefficients of H leave the range of T. A component
// that dies (zero in a factor) gets a new start from the residual, as long as that lowers the objective. Throws
// InvalidArgument for a bad rank or option, and Cancelled if stopped from outside before the first iteration is
// complete; after that the last complete iterate comes back with StopReason::interrupted.
template <class T>
NmfResult<T> factorize(const Data<T>& x, const NmfOptions& options);

// Factorizations of the same X, one for each of the options. Where X is in memory, those with the Frobenius loss, one
// run and a start that is not a sample share every read of it, which saves much where ranks are small. Then sums have
// another order than in factorize(), but no bit of a result depends on the other options. Cancelled passes through.
template <class T>
std::vector<NmfResult<T>> factorize_together(const Data<T>& x, std::span<const NmfOptions> options);

// From given factors: w is rows x k, h is cols x k (H'). Throws InvalidArgument unless options.start is automatic and
// options.runs is 1: there is nothing to choose.
template <class T>
NmfResult<T> factorize(const Data<T>& x, const NmfOptions& options, Matrix<T> w, Matrix<T> h);

// The weights of sparse NMF that the seeds recommend, from the largest entry of X.
struct SparseWeights {
  double alpha = 0;
  double beta = 0;
};
// [Kuang 2014, section 2.2.4]: alpha = max(X)^2, beta = 0.01.
SparseWeights thesis_sparse_weights(double largest_entry);
// Kim and Park, sparse NMF for clustering, 4: alpha = max(X), beta = 0.5 for dense data and 0.1 for text.
SparseWeights snmf_sparse_weights(double largest_entry, bool text);

}  // namespace copse
