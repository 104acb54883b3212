// TwoColumns for as many right-hand sides as a vector holds. Included once per instruction set.
#if defined(COPSE_NNLS_TWO_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_NNLS_TWO_COLUMNS_INL_H_
#undef COPSE_NNLS_TWO_COLUMNS_INL_H_
#else
#define COPSE_NNLS_TWO_COLUMNS_INL_H_
#endif

#include "copse/nnls/two_columns.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace copse::HWY_NAMESPACE {

template <class T>
class VectorTwoColumns {
 public:
  using D = hwy::HWY_NAMESPACE::ScalableTag<T>;
  using V = hwy::HWY_NAMESPACE::Vec<D>;

  explicit VectorTwoColumns(const TwoColumns<T>& solve) : solve_(solve) {}

  HWY_INLINE void operator()(V y1, V y2, V& g1, V& g2) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const D d;
    const V zero = hn::Zero(d), cosine = hn::Set(d, solve_.cosine());
    const V scale1 = hn::Set(d, solve_.scale1()), scale2 = hn::Set(d, solve_.scale2());
    const V u = hn::Mul(scale1, y1), v = hn::Mul(scale2, y2);
    const V x1 = hn::NegMulAdd(cosine, v, u), x2 = hn::NegMulAdd(cosine, u, v);
    const auto regular = solve_.regular() ? hn::Eq(zero, zero) : hn::Ne(zero, zero);
    const auto inside = hn::And(regular, hn::And(hn::Ge(x1, zero), hn::Ge(x2, zero)));
    const V edge1 = hn::Max(u, zero), edge2 = hn::Max(v, zero);
    const auto first = hn::Ge(edge1, hn::Mul(hn::Set(d, solve_.bias()), edge2));
    g1 = hn::IfThenElse(inside, hn::Mul(x1, hn::Set(d, solve_.inside1())),
                        hn::IfThenElseZero(first, hn::Mul(edge1, scale1)));
    g2 = hn::IfThenElse(inside, hn::Mul(x2, hn::Set(d, solve_.inside2())),
                        hn::IfThenZeroElse(first, hn::Mul(edge2, scale2)));
  }

 private:
  TwoColumns<T> solve_;
};

}  // namespace copse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
