// The way out of a poor minimum: more components for a while, then as many as before.
#pragma once

#include <functional>

#include "copse/nmf/start.h"

namespace copse {

// Alternations that one breath takes.
constexpr int breath_alternations = 8;

// Whether there is room for more components, and no penalty or baseline that more of them would change.
template <class T>
bool can_breathe(const Data<T>& x, const NmfOptions& options);

// So many alternations as the options say, without a gradient, from these factors.
template <class T>
using Alternating = std::function<Factors<T>(const NmfOptions& options, Factors<T> factors)>;

// k / 2 components from the leading singular vectors of X - W H join those of `factors`; after a few alternations the
// pairs nearest to rank one are merged until k are left, and a few more follow.
template <class T>
Factors<T> breathe(const Data<T>& x, const NmfOptions& options, Factors<T> factors, const Alternating<T>& alternate);

}  // namespace copse
