// NMF by the Kullback-Leibler divergence, D(X | W H) = sum of x log(x / (W H)) - x + (W H) over all entries.
#pragma once

#include <chrono>

#include "copse/matrix/sparse.h"
#include "copse/nmf/alternation.h"
#include "copse/nmf/options.h"

namespace copse {

// X by features, and the sums that every run needs.
template <class T>
class DivergenceData {
 public:
  explicit DivergenceData(const Data<T>& x);

  const Data<T>& x() const { return x_; }
  const SparseMatrix<T>& transposed() const { return transposed_; }  // X': a column is a feature
  double total() const { return total_; }                            // the sum of X
  double independent() const { return independent_; }                // D of the best factors with k = 1
  double floor() const { return floor_; }                            // W H below this counts as this

 private:
  const Data<T>& x_;
  SparseMatrix<T> transposed_;
  double total_ = 0;
  double independent_ = 0;
  double floor_ = 0;
};

// One run from one start, as alternate() is for the Frobenius norm; stops by the rule of NmfOptions::loss.
template <class T>
Run<T> alternate_by_divergence(const DivergenceData<T>& data, const NmfOptions& options, Factors<T> start,
                               std::chrono::steady_clock::time_point began);

// D(X | W H) / (the least D for k = 1), as Iteration::relative_error has it; h is H' (cols x k). 0 where X = 0.
template <class T>
double relative_divergence(const Data<T>& x, const Matrix<T>& w, const Matrix<T>& h);

}  // namespace copse
