#include "copse/graph/low_rank.h"

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/random.h"
#include "copse/graph/spectral.h"
#include "copse/kernels/gram.h"
#include "copse/nmf/factors.h"

namespace copse {
namespace {

constexpr Index low_rank_rows_per_block = 512;

}  // namespace

template <class T>
LowRank<T>::LowRank(const Data<T>& a, const LowRankOptions& options)
    : Data<T>({.rows = a.cols(), .cols = a.cols(), .nonzeros = 2 * a.cols() * options.rank}) {
  const Index n = a.cols();
  if (options.rank < 1 || options.rank > n)
    throw InvalidArgument("the rank of the approximation must be between 1 and the number of nodes, " +
                          std::to_string(n) + ", and is " + std::to_string(options.rank));
  if (options.passes < 0) throw InvalidArgument("the number of passes must not be negative");
  Matrix<T> random(n, options.rank), product;
  parallel_blocks(n, low_rank_rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Random normal(options.seed, static_cast<std::uint64_t>(i));
      for (T& value : random.row(i)) value = static_cast<T>(normal.normal());
    }
  });
  q_ = std::move(random);
  for (int pass = 0; pass <= options.passes; ++pass) {
    check_cancelled();
    a.transpose_times(q_, product);
    q_ = orthonormal(a, std::move(product));
  }
  a.transpose_times(q_, product);
  c_ = inner_products(a, q_, product);
  for (Index c = 0; c < c_.rows(); ++c) {
    for (Index d = 0; d < c; ++d) c_(c, d) = c_(d, c) = (c_(c, d) + c_(d, c)) / 2;
  }
}

template <class T>
double LowRank<T>::squared_norm_over(int exponent) const {
  return copse::squared_norm_over<double>(c_.values(), exponent);
}

template <class T>
void LowRank<T>::transpose_times(const Matrix<T>& w, Matrix<T>& out) const {
  const Matrix<double> small = inner_products(*this, q_, w);  // Q'W
  Matrix<double> product(c_.rows(), w.cols());
  for (Index i = 0; i < c_.rows(); ++i) {
    for (Index d = 0; d < c_.cols(); ++d) {
      for (Index c = 0; c < w.cols(); ++c) product(i, c) += c_(i, d) * small(d, c);
    }
  }
  out = times_small(q_, product);
}

template <class T>
SymNmfResult<T> factorize_low_rank(const Data<T>& a, const SymNmfOptions& options, const LowRankOptions& low_rank,
                                   Matrix<T> start) {
  return factorize_symmetric<T>(LowRank<T>(a, low_rank), options, std::move(start));
}

#define COPSE_INSTANTIATE(T) \
  template class LowRank<T>; \
  template SymNmfResult<T> factorize_low_rank(const Data<T>&, const SymNmfOptions&, const LowRankOptions&, Matrix<T>);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse
