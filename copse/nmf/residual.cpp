#include "copse/nmf/residual.h"

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 512;

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<const Rows<T>> block(const Matrix<T>& f, Index begin, Index end) {
  return {f.data() + begin * f.cols(), end - begin, f.cols()};
}

// out -= F S for a small matrix S.
template <class T>
void subtract(const Matrix<T>& f, const Matrix<double>& small, Matrix<T>& out) {
  const Rows<T> factor = Eigen::Map<const Rows<double>>(small.data(), small.rows(), small.cols()).template cast<T>();
  parallel_blocks(out.rows(), rows_per_block, [&](Index begin, Index end) {
    Eigen::Map<Rows<T>>(out.data() + begin * out.cols(), end - begin, out.cols()).noalias() -=
        block(f, begin, end) * factor;
  });
}

}  // namespace

template <class T>
Matrix<double> inner_products(const Data<T>& x, const Matrix<T>& a, const Matrix<T>& b) {
  std::vector<Rows<T>> parts(static_cast<std::size_t>((a.rows() + rows_per_block - 1) / rows_per_block));
  parallel_blocks(a.rows(), rows_per_block, [&](Index begin, Index end) {
    parts[static_cast<std::size_t>(begin / rows_per_block)] = block(a, begin, end).transpose() * block(b, begin, end);
  });
  Matrix<double> total(a.cols(), b.cols());
  Eigen::Map<Rows<double>> sum(total.data(), total.rows(), total.cols());
  for (const Rows<T>& part : parts) sum += part.template cast<double>();
  x.sum(total.values());
  return total;
}

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

// |X|^2 - 2 <X H', W> + <W'W, H H'>.
template <class T>
double Residual<T>::squared_norm() const {
  Matrix<T> product;
  x_.times(factors_.h, product);
  const Matrix<double> cross = inner_products(x_, product, factors_.w);
  double square =
      x_.squared_norm() + dot(inner_products(x_, factors_.w, factors_.w), inner_products(x_, factors_.h, factors_.h));
  for (Index c = 0; c < cross.rows(); ++c) square -= 2 * cross(c, c);
  return std::max(0.0, square);
}

template Matrix<double> inner_products(const Data<float>&, const Matrix<float>&, const Matrix<float>&);
template Matrix<double> inner_products(const Data<double>&, const Matrix<double>&, const Matrix<double>&);
template class Residual<float>;
template class Residual<double>;

}  // namespace copse
