// A component that died, zero in one factor or both, can never come back by itself: the penalties of sparse NMF or a
// poor start kill some, and the clusters that are left share the items. It is given the largest part of the residual.
#pragma once

#include <cstdint>

#include "copse/matrix/data.h"
#include "copse/nmf/start.h"

namespace copse {

// Makes column `component` of both factors the leading nonnegative pair (u, v) of the residual E = X - W H, found by a
// few steps of u = max(0, E v), v = max(0, E'u) from a random v, with |u| = norm. Two products with X for each step.
// Returns false, and changes nothing, if the pair would lessen |E|^2 by less than the share `least_gain`.
template <class T>
bool revive_component(const Data<T>& x, Factors<T>& factors, Index component, double norm, double squared_error,
                      double least_gain, std::uint64_t seed);

}  // namespace copse
