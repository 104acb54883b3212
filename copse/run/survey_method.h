// The methods of a survey: how each is fitted to parts of the items, and to all with the k of the verdict.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "copse/methods/method.h"
#include "copse/run/choose_options.h"

namespace copse {

// Those that give labels of items, and tell the clusters of others.
std::vector<const Method*> survey_methods();
// Throws InvalidArgument for a name that is none of theirs.
const Method& survey_method(const std::string& name);

// `feature_names` decide which leaf of a tree is split next, as default_score() does. Throws InvalidArgument for
// options that belong to another method.
template <class T>
std::unique_ptr<Clusterer<T>> clusterer_of(const ChooseRunOptions& options,
                                           const std::vector<std::string>& feature_names);

// The kinds of runs that make sense for the method, and a sentence on what is left out; empty where nothing is.
std::vector<RunKind> kinds_for(const Method& method, const std::vector<RunKind>& asked);
std::string left_out_for(const Method& method, bool all_measures);

// All items with k clusters, as the command of the method has it: the notes of the input are among those of the result.
template <class T>
ChooseResult run_chosen(const ChooseRunOptions& options, Index k, PreparedInput<T> input, Seconds seconds,
                        Stopwatch clock, const RunEvents& events);

}  // namespace copse
