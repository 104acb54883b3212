// The measures of a survey, made from its runs: one row for every number of clusters.
#pragma once

#include <optional>
#include <vector>

#include "copse/choose/consensus.h"
#include "copse/choose/survey.h"

namespace copse {

// NaN among the values are left out. `per_run` values in a row are of the same run.
Spread spread_of(std::vector<double> values, Average average, int per_run = 1);

// `records` in any order; one for each key. The same records give the same bits.
template <class T>
SurveyTable tabulate(const Survey<T>& survey, std::vector<RunRecord> records, Average average);

// The consensus of the resampled runs, or of the starts. Items are named by their places in the survey.
template <class T>
Consensus consensus_of(const Survey<T>& survey, const std::vector<RunRecord>& records, RunKind kind, Index k);

// The labels of all items, by their places, of the start with the least error; empty if there is none.
std::vector<Index> best_labels(const std::vector<RunRecord>& records, Index k);

// Components of several runs, unit rows each, k x d: matched one to one with running means by their cosines. The
// mean silhouette (by 1 - cosine) of each of the k groups, falling [Alexandrov et al. 2013]; 1 for k = 1 and for one
// run.
std::vector<double> silhouettes_of(const std::vector<const Matrix<float>*>& runs);

}  // namespace copse
