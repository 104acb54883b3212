#include <algorithm>
#include <cassert>

#include "copse/base/parallel.h"
#include "copse/kernels/gram.h"
#include "copse/nnls/nnls.h"

namespace copse {
namespace {

constexpr Index rows_per_block = 32;

}  // namespace

template <class T>
void sweep_hals(const Matrix<double>& gram, const Matrix<T>& rhs, Matrix<T>& g, const HalsOptions& options,
                HalsReport* report) {
  const Index k = gram.rows();
  assert(gram.cols() == k && rhs.cols() == k && g.cols() == k && rhs.rows() == g.rows());
  const Matrix<T> start = report != nullptr ? g : Matrix<T>();
  if (report != nullptr) report->squared_projected_gradient = squared_projected_gradient(gram, rhs, g);
  parallel_blocks(g.rows(), rows_per_block, [&](Index begin, Index end) {
    double first_change = 0;
    for (int sweep = 0; sweep < options.sweeps; ++sweep) {
      double change = 0;
      for (Index i = begin; i < end; ++i) {
        for (Index c = 0; c < k; ++c) {
          double residual = static_cast<double>(rhs(i, c));
          for (Index d = 0; d < k; ++d) residual -= d == c ? 0.0 : gram(c, d) * static_cast<double>(g(i, d));
          const T next = gram(c, c) > 0 ? static_cast<T>(std::max(0.0, residual / gram(c, c))) : T(0);
          const double moved = static_cast<double>(next) - static_cast<double>(g(i, c));
          change += moved * moved;
          g(i, c) = next;
        }
      }
      if (sweep == 0) first_change = change;
      if (change <= options.min_change * options.min_change * first_change) break;
    }
  });
  if (report == nullptr) return;
  report->dot = dot(rhs, g);
  report->squared_change = 0;
  for (std::size_t e = 0; e < start.values().size(); ++e) {
    const double moved = static_cast<double>(g.values()[e]) - static_cast<double>(start.values()[e]);
    report->squared_change += moved * moved;
  }
}

template void sweep_hals(const Matrix<double>&, const Matrix<float>&, Matrix<float>&, const HalsOptions&, HalsReport*);
template void sweep_hals(const Matrix<double>&, const Matrix<double>&, Matrix<double>&, const HalsOptions&,
                         HalsReport*);

}  // namespace copse
