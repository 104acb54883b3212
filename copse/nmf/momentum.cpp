#include "copse/nmf/momentum.h"

#include "copse/base/parallel.h"

namespace copse {
namespace {

constexpr Index entries_per_block = 16384;
constexpr Index at_once = 16;  // a number that the compiler knows becomes vectors

// y = max(0, x + factor (x - y))
template <Index count, class T>
void go_on(const T* __restrict x, T factor, T* __restrict y) {
  for (Index e = 0; e < count; ++e) {
    const T value = x[e] + factor * (x[e] - y[e]);
    y[e] = value > 0 ? value : T(0);
  }
}

}  // namespace

template <class T>
void run_ahead(const Matrix<T>& now, Matrix<T>& ahead, double length) {
  const T factor = static_cast<T>(length);
  parallel_blocks(static_cast<Index>(now.values().size()), entries_per_block, [&](Index begin, Index end) {
    Index e = begin;
    for (; e + at_once <= end; e += at_once) go_on<at_once>(now.data() + e, factor, ahead.data() + e);
    for (; e < end; ++e) go_on<1>(now.data() + e, factor, ahead.data() + e);
  });
}

template void run_ahead(const Matrix<float>&, Matrix<float>&, double);
template void run_ahead(const Matrix<double>&, Matrix<double>&, double);

}  // namespace copse
