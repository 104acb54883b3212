// Plain twins of the fast kernels: straight from the definition, on dense matrices.
#pragma once

#include "copse/matrix/dense.h"

namespace copse::testing::naive {

// X' W, with x as m x n.
template <class T>
Matrix<T> transpose_times(const Matrix<T>& x, const Matrix<T>& w) {
  Matrix<T> out(x.cols(), w.cols());
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index c = 0; c < w.cols(); ++c) out(j, c) += x(i, j) * w(i, c);
    }
  }
  return out;
}

// X H', with x as m x n and h as n x k.
template <class T>
Matrix<T> times(const Matrix<T>& x, const Matrix<T>& h) {
  Matrix<T> out(x.rows(), h.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      for (Index c = 0; c < h.cols(); ++c) out(i, c) += x(i, j) * h(j, c);
    }
  }
  return out;
}

template <class T>
Matrix<T> transposed(const Matrix<T>& x) {
  Matrix<T> out(x.cols(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) out(j, i) = x(i, j);
  }
  return out;
}

}  // namespace copse::testing::naive
