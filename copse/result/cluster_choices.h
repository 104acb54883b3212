// The words for the choices of the methods that the papers compare with; see choices.h.
#pragma once

#include "copse/cluster/method.h"
#include "copse/result/choices.h"

namespace copse {

template <>
const Choices<ClusterMethod>& choices();
template <>
const Choices<CentreStart>& choices();
template <>
const Choices<PlaceBy>& choices();
template <>
const Choices<XraySelection>& choices();

}  // namespace copse
