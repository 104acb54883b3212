// From the measures of a survey to an answer: how many clusters, how sure, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/choose/survey_table.h"

namespace copse {

// Each measure's own rule; nothing where the survey has no such runs.
//
// GPS: the k >= 2 with the largest GPS, or 1 unless PS > E + sd there [Kuang 2014, eq. 41-42].
std::optional<Index> choose_by_gps(const SurveyTable& table);
// The same, but chance is whichever null has the larger E, and PS must stand above E + sd of both.
std::optional<Index> choose_by_both_nulls(const SurveyTable& table);
// Of the k >= 2 whose recurrence R stands above E + sd of both nulls, and above the larger E by a twentieth (where
// chance is always 0, so is its deviation): the largest (R - E) / (1 - E). 1 if there is none.
std::optional<Index> choose_by_recurrence(const SurveyTable& table);
// With N(k) the number of clusters that come back of k: the largest N that one more cluster leaves standing, max over k
// of min(N(k), N(next k)), or N of the last k if that is larger; rounded, at least 2, and the k of the table that is
// nearest. A component that goes to a few odd items then hides no group, and one that comes back by accident adds none.
std::optional<Index> choose_by_returning(const SurveyTable& table);
// Recurrence says whether there are clusters. Prediction strength says how many, if it stands above both nulls by more
// than a twentieth, and recurrence has half of its best there: it is sharp for few clusters of any sizes. Otherwise, as
// with many clusters, of which one is always lost, it is the k of recurrence. Where there is one null only, as for
// sparse data, less is known of what chance can do: prediction strength must be at least a half, and otherwise the
// clusters that come back are counted.
std::optional<Index> choose_by_halves(const SurveyTable& table);
// The largest cophenetic correlation, of resampled runs or of starts; the first of equal ones.
std::optional<Index> choose_by_cophenetic(const SurveyTable& table, RunKind kind);
// The largest dispersion of resampled runs; the first of equal ones.
std::optional<Index> choose_by_dispersion(const SurveyTable& table);
// The smallest k with Gap(k) >= Gap(k + 1) - sd [Kuang 2014, section 4.4.1]; the last if there is none.
std::optional<Index> choose_by_gap(const SurveyTable& table);
// The smallest k whose error is within one standard error of the least.
std::optional<Index> choose_by_hidden_error(const SurveyTable& table);
std::optional<Index> choose_by_block_error(const SurveyTable& table);
// The largest k whose least silhouette is at least .8, of resampled runs or of perturbed ones [Alexandrov et al. 2013;
// Nebgen et al. 2021]; 1 if there is none.
std::optional<Index> choose_by_silhouette(const SurveyTable& table, RunKind kind);

// clusters: by halves. components: by hidden entries. `table` is what tabulate() makes of the records.
template <class T>
Verdict decide(const Survey<T>& survey, const std::vector<RunRecord>& records, const SurveyTable& table,
               Average average, Question question);

// Where a search over a grid should look closer: at the k of the verdict, or where there is no evidence of clusters, at
// the k that comes nearest to it. 0: there are no runs that tell.
Index most_promising(const SurveyOptions& options, const std::vector<RunRecord>& records, Average average,
                     Question question);

// Whether more runs would hardly change the verdict: without the last of them, those numbered from `runs_before` on, it
// was the same, and 95 of 100 surveys drawn anew from all runs agree.
bool is_settled(const SurveyOptions& options, const std::vector<RunRecord>& records, Average average, Question question,
                int runs_before);

}  // namespace copse
