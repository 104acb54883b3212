#include <algorithm>
#include <cassert>
#include <vector>

#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 256;

}  // namespace

template <class T>
void update_multiplicative(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g) {
  const Index k = gram.rows();
  assert(gram.cols() == k && rhs.cols() == k && g.cols() == k && rhs.rows() == g.rows());
  parallel_blocks(g.rows(), rows_per_block, [&](Index begin, Index end) {
    std::vector<T> next(static_cast<std::size_t>(k));
    for (Index i = begin; i < end; ++i) {
      for (Index c = 0; c < k; ++c) {
        double below = 0;
        for (Index d = 0; d < k; ++d) below += gram(c, d) * static_cast<double>(g(i, d));
        const double above = std::max(0.0, static_cast<double>(rhs(i, c))) * static_cast<double>(g(i, c));
        next[static_cast<std::size_t>(c)] = above > 0 && below > 0 ? static_cast<T>(above / below) : T(0);
      }
      std::copy(next.begin(), next.end(), g.row(i).begin());
    }
  });
}

template void update_multiplicative(const Matrix<double>&, const Matrix<float>&, Matrix<float>&);
template void update_multiplicative(const Matrix<double>&, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
