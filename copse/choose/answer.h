// What a survey over numbers of clusters says, as plain data: who only reads it needs no more than this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "copse/base/index.h"

namespace copse {

// Data without clusters that looks like the given data otherwise.
enum class Null {
  automatic,  // box for dense data, shuffled for sparse data
  box,        // uniform in the box of the principal components [Kuang 2014, algorithm 3]; gives dense data
  shuffled    // the values of each feature go to other items, more likely to those with many entries; items keep their
              // norms. What features have in common is lost; sparse data stays sparse
};

// What a run does. Runs of one number see the same items or entries for every k, so that their measures can be
// compared.
enum class RunKind {
  split,           // two halves of the items, each fitted, each predicts the other: prediction strength
  null_split,      // the same of data without clusters, of the kind that the options name
  shuffled_split,  // the same of shuffled data; no runs where null_split is that already
  resample,        // a part of the items: consensus, stability of components
  start,           // all items from another random start: consensus of starts, error, separability
  hold_out,        // entries that were hidden
  bi_cross,        // blocks that were hidden
  gap,             // all items: variation within clusters; one run
  null_gap,        // the same of data without clusters
  perturbed        // all items, every entry a little larger or smaller: stability of components
};

inline constexpr RunKind last_run_kind = RunKind::perturbed;

enum class Average { mean, median };  // of the runs; [Kuang 2014, section 4.7] takes the median on real data

// Stability tells how many groups can be told apart. Hold-out tells how many components the data needs. On many data
// these are different numbers.
enum class Question { clusters, components };

// Many values of one thing. NaN where there is none.
struct Spread {
  Index count = 0;
  double centre = 0;     // mean or median
  double deviation = 0;  // standard deviation over the values
  double error = 0;      // standard error of the mean: over runs, whose values may be several
};

// What a consensus says about one number of clusters.
struct ConsensusMeasures {
  double cophenetic = 1;  // correlation of 1 - C with the heights of its average linkage [Brunet et al. 2004]
  double dispersion = 1;  // 1/n^2 sum 4 (C - 1/2)^2 [Kim & Park 2008, eq. 17]: 1 where every entry is 0 or 1
  double ambiguous = 0;   // share of pairs with .1 < C < .9 (PAC) [Senbabaoglu et al. 2014]
};

struct SurveyRow {
  Index k = 0;
  int runs = 0;    // that ended well
  int failed = 0;  // that did not
  // The deviations of the nulls are over the splits of null data, every split of a data set of its own, both
  // directions.
  std::optional<Spread> strength, null_strength, shuffled_strength;
  std::optional<double> gps;  // PS - E[PS under the null] [Kuang 2014, eq. 40]
  std::optional<double>
      p_value;  // share of null values that reach PS: (1 + count) / (1 + all), of the null where it is larger
  std::optional<Spread> recurrence, null_recurrence, shuffled_recurrence;  // as strength: prediction_strength.h
  std::optional<double> recurrence_p_value;
  std::optional<Spread> returning;  // clusters that come back (prediction_strength.h): always the mean
  std::optional<ConsensusMeasures> resampled, started;
  std::optional<double> silhouette;  // the least over the components, each matched across the resampled runs
  std::vector<double> silhouettes;   // of every component, falling; empty where there is none
  // The same across the perturbed runs [Alexandrov et al. 2013; Nebgen et al. 2021].
  std::optional<double> perturbed_silhouette;
  std::vector<double> perturbed_silhouettes;
  std::optional<Spread> hidden_error, block_error;
  std::optional<double> error;         // relative, the least over the starts
  std::optional<double> separability;  // of the start with the least error
  std::optional<double> gap, gap_deviation;
};

struct SurveyTable {
  std::vector<SurveyRow> rows;  // by k
  Index watched = 0;            // items of which all pairs were counted
};

// The consensus of the samples for one k, items in the order of its dendrogram; a sample of the items where they are
// many. Empty where no samples were drawn.
struct ConsensusPicture {
  Index k = 0;
  std::vector<Index> items;           // their numbers in the data
  std::vector<Index> clusters;        // of the dendrogram, cut into k
  std::vector<std::uint8_t> percent;  // items x items: how often two came together, 0 ... 100
};

// How the clusters of one k go over into those of the next: counts[a][b] items are in cluster a and then in b. They
// are those of the start with the least error, for each k in an order that follows the k before. Items without a
// cluster are left out.
struct ClusterFlow {
  Index from = 0, to = 0;  // numbers of clusters
  std::vector<std::vector<Index>> counts;
};

// How well the components of the chosen fit are found again: for each of them and every k, its cosine with the nearest
// component of a resampled run with k, the mean over these runs, 0 ... 1. At its own k that is its stability. Empty
// where the method has no components.
struct Persistence {
  std::vector<Index> ks;
  std::vector<std::string> topics;          // the ids of the components in the result
  std::vector<std::vector<double>> values;  // topics x ks; NaN where no resampled run has ended
};

struct Choice {
  std::string measure;
  Question answers = Question::clusters;
  Index k = 0;
};

struct Verdict {
  Question question = Question::clusters;
  Index k = 0;                  // 1: no evidence of clusters; 0: there are no runs that tell
  double sure = 0;              // share of the surveys drawn anew from these runs that choose k; less for sparse data
  std::vector<Index> possible;  // others that at least a tenth of them choose
  Index least = 0, most = 0;    // nine tenths of them choose from here to here; 0: nothing is known
  std::vector<Choice> choices;  // what each measure says
  std::string sentence;
};

}  // namespace copse
