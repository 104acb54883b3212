// The words for the choices of the methods; see options/choices.h.
#pragma once

#include "copse/base/precision.h"
#include "copse/cluster/bisecting.h"
#include "copse/cluster/gnmf.h"
#include "copse/cluster/place_by.h"
#include "copse/cluster/separable.h"
#include "copse/graph/cluster_graph.h"
#include "copse/image/segment.h"
#include "copse/methods/gives.h"
#include "copse/options/choices.h"
#include "copse/tree/tree.h"

namespace copse {

template <>
const Choices<Loss>& choices();
template <>
const Choices<Solver>& choices();
template <>
const Choices<Start>& choices();  // without `given`, which has no name: factors come from a file or a call
template <>
const Choices<StopReason>& choices();
template <>
const Choices<Precision>& choices();
template <>
const Choices<Score>& choices();
template <>
const Choices<Pick>& choices();
template <>
const Choices<Rank2Start>& choices();
template <>
const Choices<Leaf>& choices();
template <>
const Choices<GraphModel>& choices();
template <>
const Choices<GraphStart>& choices();
template <>
const Choices<SymSolver>& choices();
template <>
const Choices<Bisect>& choices();
template <>
const Choices<GnmfSolver>& choices();
template <>
const Choices<CentreStart>& choices();
template <>
const Choices<PlaceBy>& choices();
template <>
const Choices<XraySelection>& choices();
template <>
const Choices<RunChoice>& choices();
template <>
const Choices<LabelSource>& choices();
template <>
const Choices<SegmentMethod>& choices();
template <>
const Choices<SegmentHierarchy>& choices();

}  // namespace copse
