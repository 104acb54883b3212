// Rows of a factor side by side in whole vectors. Included once per instruction set.
#if defined(COPSE_KERNELS_PAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_KERNELS_PAD_INL_H
#undef COPSE_KERNELS_PAD_INL_H
#else
#define COPSE_KERNELS_PAD_INL_H
#endif

#include "copse/base/index.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace copse {
namespace HWY_NAMESPACE {

// `rows` rows of k entries to rows that are `stride` apart. k is rounded up to whole vectors of `d`, whose rest is
// zero; what lies behind stays. For a few entries in a row this takes a fraction of the time of a copy for each.
template <class D, class T = hwy::HWY_NAMESPACE::TFromD<D>>
HWY_INLINE void pad_rows(D d, const T* HWY_RESTRICT from, Index rows, Index k, Index stride, T* HWY_RESTRICT to) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(D()));
  const Index whole = k / lanes * lanes, rest = k - whole;
  const auto first = hn::FirstN(d, static_cast<std::size_t>(rest));
  for (Index i = 0; i < rows; ++i) {
    const T* source = from + i * k;
    T* target = to + i * stride;
    for (Index c = 0; c < whole; c += lanes) hn::StoreU(hn::LoadU(d, source + c), d, target + c);
    if (rest == 0) continue;
    if (i * k + whole + lanes <= rows * k) {  // the next rows are there to be read along
      hn::StoreU(hn::IfThenElseZero(first, hn::LoadU(d, source + whole)), d, target + whole);
    } else {
      for (Index c = whole; c < whole + lanes; ++c) target[c] = c < k ? source[c] : T(0);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace copse
HWY_AFTER_NAMESPACE();

#endif
