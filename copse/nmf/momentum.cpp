#include "copse/nmf/momentum.h"

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index entries_per_block = 16384;

}  // namespace

template <class T>
void run_ahead(const Matrix<T>& now, Matrix<T>& ahead, double length) {
  const T factor = static_cast<T>(length);
  parallel_blocks(static_cast<Index>(now.values().size()), entries_per_block, [&](Index begin, Index end) {
    const T* x = now.data();
    T* y = ahead.data();
    for (Index e = begin; e < end; ++e) y[e] = std::max(T(0), x[e] + factor * (x[e] - y[e]));
  });
}

template void run_ahead(const Matrix<float>&, Matrix<float>&, double);
template void run_ahead(const Matrix<double>&, Matrix<double>&, double);

}  // namespace copse
