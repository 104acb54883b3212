// The measures of a survey, made from its runs: one row for every number of clusters.
#pragma once

#include <optional>
#include <vector>

#include "copse/choose/consensus.h"
#include "copse/choose/survey.h"

namespace copse {

enum class Average { mean, median };  // of the runs; [Kuang 2014, section 4.7] takes the median on real data

// Many values of one thing. NaN where there is none.
struct Spread {
  Index count = 0;
  double centre = 0;     // mean or median
  double deviation = 0;  // standard deviation over the values
  double error = 0;      // standard error of the mean: over runs, whose values may be several
};
// NaN among the values are left out. `per_run` values in a row are of the same run.
Spread spread_of(std::vector<double> values, Average average, int per_run = 1);

struct SurveyRow {
  Index k = 0;
  int runs = 0;    // that ended well
  int failed = 0;  // that did not
  std::optional<Spread> strength, null_strength, shuffled_strength;
  std::optional<double> gps;  // PS - E[PS under the null] [Kuang 2014, eq. 40]
  std::optional<double>
      p_value;  // share of null values that reach PS: (1 + count) / (1 + all), of the null where it is larger
  std::optional<ConsensusMeasures> resampled, started;
  std::optional<double> silhouette;  // the least over the components, each matched across the resampled runs
  std::optional<Spread> hidden_error, block_error;
  std::optional<double> error;         // relative, the least over the starts
  std::optional<double> separability;  // of the start with the least error
  std::optional<double> gap, gap_deviation;
};

struct SurveyTable {
  std::vector<SurveyRow> rows;  // by k
  Index watched = 0;            // items of which all pairs were counted
};

// `records` in any order; one for each key. The same records give the same bits.
template <class T>
SurveyTable tabulate(const Survey<T>& survey, std::vector<RunRecord> records, Average average);

// The consensus of the resampled runs, or of the starts.
template <class T>
Consensus consensus_of(const Survey<T>& survey, const std::vector<RunRecord>& records, RunKind kind, Index k);

// The labels of all items by the start with the least error; empty if there is none.
std::vector<Index> best_labels(const std::vector<RunRecord>& records, Index k);

// Components of several runs, unit rows each, k x d: matched one to one with running means by their cosines. Returns
// the least mean silhouette (by 1 - cosine) of the k groups [Alexandrov et al. 2013]; 1 for k = 1 and for one run.
double least_silhouette(const std::vector<const Matrix<float>*>& runs);

}  // namespace copse
