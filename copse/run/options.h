// The rows of all runs: each is declared beside its options.
#pragma once

#include "copse/options/option.h"
#include "copse/run/assign.h"
#include "copse/run/choose_run.h"
#include "copse/run/cluster_run.h"
#include "copse/run/compare_run.h"
#include "copse/run/flat_run.h"
#include "copse/run/graph_run.h"
#include "copse/run/graph_tree_run.h"
#include "copse/run/tree_run.h"

namespace copse {

template <>
const FieldType& field_type<std::optional<SparseWeight>>();

template <>
const OptionRows& rows<ClusterRunOptions>();  // without those of single methods
template <>
const OptionRows& rows<ChooseRunOptions>();
template <>
const OptionRows& rows<CompareOptions>();
template <>
const OptionRows& rows<NewItemsOptions>();

}  // namespace copse
