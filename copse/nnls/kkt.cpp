#include <cassert>
#include <valarray>

#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 1024;

}  // namespace

template <class T>
std::vector<double> squared_projected_gradient(const Matrix<double>& gram, const Matrix<T>& rhs, const Matrix<T>& g) {
  const Index k = gram.rows();
  assert(gram.cols() == k && rhs.cols() == k && g.cols() == k && rhs.rows() == g.rows());
  const std::valarray<double> zero(0.0, static_cast<std::size_t>(k));
  const auto sums = sum_blocks(g.rows(), rows_per_block, zero, [&](Index begin, Index end) {
    std::valarray<double> part = zero;
    for (Index i = begin; i < end; ++i) {
      for (Index c = 0; c < k; ++c) {
        double gradient = -static_cast<double>(rhs(i, c));
        for (Index d = 0; d < k; ++d) gradient += gram(c, d) * static_cast<double>(g(i, d));
        if (g(i, c) > T(0) || gradient < 0) part[static_cast<std::size_t>(c)] += gradient * gradient;
      }
    }
    return part;
  });
  return {std::begin(sums), std::end(sums)};
}

template std::vector<double> squared_projected_gradient(const Matrix<double>&, const Matrix<float>&,
                                                        const Matrix<float>&);
template std::vector<double> squared_projected_gradient(const Matrix<double>&, const Matrix<double>&,
                                                        const Matrix<double>&);

}  // namespace copse
