#include "copse/nmf/breathe.h"

#include <algorithm>
#include <utility>

#include "copse/nmf/merge.h"
#include "copse/nmf/residual.h"

namespace copse {
namespace {

constexpr Index components_per_added = 2;
constexpr int wide_alternations = 5;
constexpr int power_iterations = 2;  // on text, with one some runs miss what with two none missed

}  // namespace

template <class T>
bool can_breathe(const Data<T>& x, const NmfOptions& options) {
  const Index wide = options.rank + options.rank / components_per_added;
  return options.rank >= components_per_added && wide <= std::min(x.whole().rows, x.whole().cols) &&
         options.alpha == 0 && options.beta == 0 && !options.affine;
}

template <class T>
Factors<T> breathe(const Data<T>& x, const NmfOptions& options, Factors<T> factors, const Alternating<T>& alternate) {
  const Index k = options.rank;
  NmfOptions plain = options;
  plain.progress = {};
  plain.rank = k + k / components_per_added;
  plain.max_iterations = wide_alternations;
  const Factors<T> more =
      singular_start(Residual<T>(x, factors), plain.rank - k, Start::nndsvd, options.seed, power_iterations);
  append_columns(factors.w, more.w);
  append_columns(factors.h, more.h);
  factors = alternate(plain, std::move(factors));
  merge_components(x, factors, plain.rank, k);
  plain.rank = k;
  plain.max_iterations = breath_alternations - wide_alternations;
  return alternate(plain, std::move(factors));
}

#define COPSE_INSTANTIATE(T)                                    \
  template bool can_breathe(const Data<T>&, const NmfOptions&); \
  template Factors<T> breathe(const Data<T>&, const NmfOptions&, Factors<T>, const Alternating<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
