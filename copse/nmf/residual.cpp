#include "copse/nmf/residual.h"

#include <Eigen/Core>

#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/nmf/error.h"

namespace copse {
namespace {

constexpr Index residual_rows_per_block = 512;

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// out -= F S for a small matrix S.
template <class T>
void subtract(const Matrix<T>& f, const Matrix<double>& small, Matrix<T>& out) {
  const Rows<T> factor = Eigen::Map<const Rows<double>>(small.data(), small.rows(), small.cols()).template cast<T>();
  parallel_blocks(out.rows(), residual_rows_per_block, [&](Index begin, Index end) {
    Eigen::Map<Rows<T>>(out.data() + begin * out.cols(), end - begin, out.cols()).noalias() -=
        Eigen::Map<const Rows<T>>(f.data() + begin * f.cols(), end - begin, f.cols()) * factor;
  });
}

}  // namespace

template <class T>
void Residual<T>::times(const Matrix<T>& h, Matrix<T>& out) const {
  x_.times(h, out);
  subtract(factors_.w, inner_products(x_, factors_.h, h), out);
}

template <class T>
void Residual<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  x_.transpose_times(w, out);
  subtract(factors_.h, inner_products(x_, factors_.w, w), out);
}

template <class T>
double Residual<T>::squared_norm_over(int exponent) const {
  Matrix<T> product;
  x_.times(factors_.h, product);
  double cross = dot(product, factors_.w);
  x_.sum({&cross, 1});
  const double square =
      squared_error(x_.squared_norm(), cross, global_gram(x_, factors_.w), global_gram(x_, factors_.h));
  return std::ldexp(square, -2 * exponent);
}

template class Residual<float>;
template class Residual<double>;

}  // namespace copse
