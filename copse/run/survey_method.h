// The methods of a survey by their names: how each is fitted to parts of the items, and to all with the k of the
// verdict.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "copse/choose/clusterer.h"
#include "copse/run/choose_run.h"

namespace copse {

// `feature_names` decide which leaf of a tree is split next, as default_score() does. Throws InvalidArgument for a name
// that is none of survey_methods(), and for options that belong to another method.
template <class T>
std::unique_ptr<Clusterer<T>> clusterer_of(const ChooseRunOptions& options,
                                           const std::vector<std::string>& feature_names);

// The kinds of runs that make sense for the method, and a sentence on what is left out; empty where nothing is.
std::vector<RunKind> kinds_for(const std::string& method, const std::vector<RunKind>& asked);
std::string left_out_for(const std::string& method, bool all_measures);

// How the items must be before a survey: K-means wants documents of unit length.
template <class T>
void prepare_for(const ChooseRunOptions& options, Dataset<T>& items);

// All items with k clusters, as the command of the method has it: the notes of the input are among those of the result.
template <class T>
ChooseResult<T> run_chosen(const ChooseRunOptions& options, Index k, PreparedInput<T> input, Seconds seconds,
                           Stopwatch clock, const RunEvents& events);

}  // namespace copse
