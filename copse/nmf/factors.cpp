#include "copse/nmf/factors.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>
#include <valarray>

#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"

namespace copse {
namespace {

constexpr Index factors_rows_per_block = 512;

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<const Rows<T>> block(const Matrix<T>& f, Index begin, Index end) {
  return {f.data() + begin * f.cols(), end - begin, f.cols()};
}

// Column c times scale_c, for the columns that have one.
template <class T>
void scale_columns(Matrix<T>& f, const std::vector<double>& scale) {
  parallel_blocks(f.rows(), factors_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < scale.size(); ++c) f.row(i)[c] = static_cast<T>(f.row(i)[c] * scale[c]);
    }
  });
}

}  // namespace

template <class T>
Matrix<double> global_gram(const Data<T>& x, const Matrix<T>& f) {
  Matrix<double> total = gram(f);
  x.sum(total.values());
  return total;
}

template <class T>
Matrix<double> inner_products(const Data<T>& x, const Matrix<T>& a, const Matrix<T>& b) {
  std::vector<Rows<T>> parts(
      static_cast<std::size_t>((a.rows() + factors_rows_per_block - 1) / factors_rows_per_block));
  parallel_blocks(a.rows(), factors_rows_per_block, [&](Index begin, Index end) {
    parts[static_cast<std::size_t>(begin / factors_rows_per_block)] =
        block(a, begin, end).transpose() * block(b, begin, end);
  });
  Matrix<double> total(a.cols(), b.cols());
  Eigen::Map<Rows<double>> sum(total.data(), total.rows(), total.cols());
  for (const Rows<T>& part : parts) sum += part.template cast<double>();
  x.sum(total.values());
  return total;
}

template <class T>
std::vector<double> squared_columns(const Data<T>& x, const Matrix<T>& f) {
  const std::valarray<double> zero(0.0, static_cast<std::size_t>(f.cols()));
  const auto sums = sum_blocks(f.rows(), factors_rows_per_block, zero, [&](Index begin, Index end) {
    std::valarray<double> part = zero;
    for (Index i = begin; i < end; ++i) {
      const auto row = f.row(i);
      for (std::size_t c = 0; c < row.size(); ++c) part[c] += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    }
    return part;
  });
  std::vector<double> total(std::begin(sums), std::end(sums));
  x.sum(total);
  return total;
}

template <class T>
void append_columns(Matrix<T>& f, const Matrix<T>& more) {
  Matrix<T> wider(f.rows(), f.cols() + more.cols());
  for (Index i = 0; i < f.rows(); ++i) {
    const auto behind = std::ranges::copy(f.row(i), wider.row(i).begin()).out;
    std::ranges::copy(more.row(i), behind);
  }
  f = std::move(wider);
}

template <class T>
std::vector<double> scale_to_unit_columns(const Data<T>& x, Factors<T>& factors, Index components) {
  std::vector<double> norms = squared_columns(x, factors.w);
  norms.resize(static_cast<std::size_t>(components));
  const std::vector<double> h_squares = squared_columns(x, factors.h);
  std::vector<double> inverse = norms;
  for (std::size_t c = 0; c < norms.size(); ++c) {
    norms[c] = h_squares[c] > 0 ? std::sqrt(norms[c]) : 0.0;
    inverse[c] = norms[c] > 0 ? 1 / norms[c] : 0.0;
  }
  scale_columns(factors.w, inverse);
  scale_columns(factors.h, norms);
  return norms;
}

#define COPSE_INSTANTIATE(T)                                                                  \
  template Matrix<double> global_gram(const Data<T>&, const Matrix<T>&);                      \
  template Matrix<double> inner_products(const Data<T>&, const Matrix<T>&, const Matrix<T>&); \
  template std::vector<double> squared_columns(const Data<T>&, const Matrix<T>&);             \
  template void append_columns(Matrix<T>&, const Matrix<T>&);                                 \
  template std::vector<double> scale_to_unit_columns(const Data<T>&, Factors<T>&, Index);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
