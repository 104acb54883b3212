// A symmetric matrix by a few of its directions: A ~ Q C Q', so that products with dense graphs cost n x rank and not
// n x n [Hayashi et al. 2024].
#pragma once

#include <cstdint>

#include "copse/graph/symnmf.h"
#include "copse/matrix/data.h"

namespace copse {

struct LowRankOptions {
  Index rank = 0;  // of the approximation, required: 1 <= rank <= n; twice the number of clusters is a good choice
  int passes = 2;  // over A, each of which sharpens the leading directions
  std::uint64_t seed = 0;
};

// Q C Q' as data, with an orthonormal basis Q of the range of A^(passes + 1) times a random matrix [Halko et al. 2011]
// and C = Q'A Q.
template <class T>
class LowRank : public Data<T> {
 public:
  LowRank(const Data<T>& a, const LowRankOptions& options);

  double squared_norm_over(int exponent) const override;
  void times(const Matrix<T>& h, Matrix<T>& out) const override { transpose_times(h, out); }
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override;

 private:
  Matrix<T> q_;
  Matrix<double> c_;
};

// Factorizes the approximation by the solver of the options (any but coordinate descent and newton) until it converges
// there. The history is that of the approximation; B is a start for a few iterations on A itself.
template <class T>
SymNmfResult<T> factorize_low_rank(const Data<T>& a, const SymNmfOptions& options, const LowRankOptions& low_rank,
                                   Matrix<T> start);

}  // namespace copse
