// From the measures of a survey to an answer: how many clusters, how sure, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/choose/survey_table.h"

namespace copse {

// Stability tells how many groups can be told apart; hold-out tells how many components the data needs. On many data
// these are different numbers.
enum class Question { clusters, rank };

// What one measure says by its own rule.
struct Choice {
  std::string measure;  // gps, consensus, hold-out, ...
  Index k = 0;
  Question answers = Question::clusters;
};

struct Verdict {
  Index k = 0;         // 1: no evidence of clusters
  double sure = 0;     // share of resampled surveys that choose k
  Index low = 0, high = 0;  // the numbers of clusters that hold 90 % of them
  std::vector<Choice> choices;
};

// gps: the largest GPS, or 1 unless PS > E + sd there [Kuang 2014, eq. 41-42]; nothing without splits of data and null.
std::optional<Index> choose_by_gps(const SurveyTable& table);
// The largest cophenetic correlation; the first of equal ones.
std::optional<Index> choose_by_cophenetic(const SurveyTable& table, RunKind kind);
// The smallest k with Gap(k) >= Gap(k + 1) - sd [Kuang 2014, section 4.4.1]; the last if there is none.
std::optional<Index> choose_by_gap(const SurveyTable& table);
// The smallest k whose error is within one standard error of the least.
std::optional<Index> choose_by_hidden_error(const SurveyTable& table);
std::optional<Index> choose_by_block_error(const SurveyTable& table);
// The largest k whose least silhouette is at least .8 [Alexandrov 2013]; 1 if there is none.
std::optional<Index> choose_by_silhouette(const SurveyTable& table);

}  // namespace copse
