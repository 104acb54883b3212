// What a factorization leaves of the data, as data: X - W H, never written out.
#pragma once

#include "copse/matrix/data.h"
#include "copse/nmf/factors.h"

namespace copse {

// Both must outlive it, and must not change meanwhile.
template <class T>
class Residual : public Data<T> {
 public:
  Residual(const Data<T>& x, const Factors<T>& factors) : Data<T>(x.sizes()), x_(x), factors_(factors) {}
  Residual(const Data<T>&, const Factors<T>&&) = delete;

  void times(const Matrix<T>& h, Matrix<T>& out) const override;
  void transpose_times(const Matrix<T>& w, Matrix<T>& out) const override;
  double squared_norm_over(int exponent) const override;
  void sum(std::span<double> values) const override { x_.sum(values); }

 private:
  const Data<T>& x_;
  const Factors<T>& factors_;
};

}  // namespace copse
