// The options of the methods: their rows stand in options.cpp.
#pragma once

#include "copse/graph/cluster_graph.h"
#include "copse/image/segment.h"
#include "copse/methods/choices.h"
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

// The settings of a run, as result.json has them.
template <class Options>
Settings run_settings(const Options& options, Precision precision) {
  Settings settings;
  add_settings(options, settings);
  settings.emplace_back("precision", name_of(precision));
  return settings;
}

// What makes a leaf worth splitting where nothing was asked for: names are words, and words can be ranked.
inline Score default_score(bool has_names) { return has_names ? Score::mndcg : Score::error; }

}  // namespace copse
