#include "copse/nmf/error.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "copse/kernels/gram.h"
#include "copse/nmf/factors.h"

namespace copse {

double squared_error(double squared_norm, double cross, const Matrix<double>& w_gram, const Matrix<double>& h_gram) {
  return std::max(0.0, squared_norm - 2 * cross + dot(w_gram, h_gram));
}

template <class T>
double relative_error(const Data<T>& x, const Matrix<T>& w, const Matrix<T>& h, std::span<const T> baseline) {
  assert(w.cols() == h.cols() && w.rows() == x.rows() && h.rows() == x.cols());
  if (!baseline.empty()) {
    // [W w0] and [H' 1]
    Matrix<T> column(w.rows(), 1), ones(h.rows(), 1);
    std::ranges::copy(baseline, column.values().begin());
    std::ranges::fill(ones.values(), T(1));
    Matrix<T> wide_w = w, wide_h = h;
    append_columns(wide_w, column);
    append_columns(wide_h, ones);
    return relative_error(x, wide_w, wide_h);
  }
  const double squared_norm = x.squared_norm();
  if (squared_norm == 0) return 0;
  Matrix<T> product;
  x.transpose_times(w, product);
  double cross = dot(product, h);
  x.sum({&cross, 1});
  return std::sqrt(squared_error(squared_norm, cross, global_gram(x, w), global_gram(x, h)) / squared_norm);
}

template double relative_error(const Data<float>&, const Matrix<float>&, const Matrix<float>&, std::span<const float>);
template double relative_error(const Data<double>&, const Matrix<double>&, const Matrix<double>&,
                               std::span<const double>);

}  // namespace copse
