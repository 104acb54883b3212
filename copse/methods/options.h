// The options of the methods: their rows stand in options.cpp.
#pragma once

#include "copse/graph/cluster_graph.h"
#include "copse/image/segment.h"
#include "copse/nmf/nmf.h"
#include "copse/options/option.h"
#include "copse/tree/tree.h"

namespace copse {

template <>
const OptionRows& rows<NmfOptions>();
template <>
const OptionRows& rows<TreeOptions>();
template <>
const OptionRows& rows<GraphClusterOptions>();
template <>
const OptionRows& rows<SegmentOptions>();

}  // namespace copse
