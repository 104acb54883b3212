#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "copse/base/parallel.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 4096;

}  // namespace

template <class T>
void solve_rank2(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g) {
  assert(gram.rows() == 2 && gram.cols() == 2 && rhs.cols() == 2);
  g.reshape(rhs.rows(), 2);
  const double a = gram(0, 0);
  const double b = gram(0, 1);
  const double c = gram(1, 1);
  const double determinant = a * c - b * b;
  const bool regular = determinant > 1e-12 * a * c;
  const double scale1 = a > 0 ? 1 / std::sqrt(a) : 0;
  const double scale2 = c > 0 ? 1 / std::sqrt(c) : 0;
  parallel_blocks(rhs.rows(), rows_per_block, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const double y1 = static_cast<double>(rhs(i, 0));
      const double y2 = static_cast<double>(rhs(i, 1));
      const double g1 = c * y1 - b * y2;
      const double g2 = a * y2 - b * y1;
      if (regular && g1 >= 0 && g2 >= 0) {
        g(i, 0) = static_cast<T>(g1 / determinant);
        g(i, 1) = static_cast<T>(g2 / determinant);
        continue;
      }
      const double u = std::max(0.0, y1 * scale1);
      const double v = std::max(0.0, y2 * scale2);
      g(i, 0) = u >= v ? static_cast<T>(u * scale1) : T(0);
      g(i, 1) = u >= v ? T(0) : static_cast<T>(v * scale2);
    }
  });
}

template void solve_rank2(const Matrix<double>&, const Matrix<float>&, Matrix<float>&);
template void solve_rank2(const Matrix<double>&, const Matrix<double>&, Matrix<double>&);

}  // namespace copse
