// The options of runs: their rows stand in options.cpp.
#pragma once

#include "copse/options/option.h"
#include "copse/run/assign.h"
#include "copse/run/flat_run.h"
#include "copse/run/graph_run.h"
#include "copse/run/graph_tree_run.h"
#include "copse/run/tree_run.h"

namespace copse {

template <>
const FieldType& field_type<std::optional<SparseWeight>>();

template <>
const OptionRows& rows<FlatRunOptions>();
template <>
const OptionRows& rows<TreeRunOptions>();
template <>
const OptionRows& rows<GraphRunOptions>();
template <>
const OptionRows& rows<GraphTreeRunOptions>();

template <>
const OptionRows& rows<NewItemsOptions>();

// The settings of a run, as result.json has them.
template <class Options>
Settings run_settings(const Options& options, Precision precision);

}  // namespace copse
