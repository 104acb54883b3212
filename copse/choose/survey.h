// A survey over numbers of clusters: many small runs, each kept by itself, from which all measures are made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "copse/choose/null_data.h"
#include "copse/methods/clusterer.h"
#include "copse/nmf/nmf.h"

namespace copse {

struct SurveyOptions {
  std::vector<Index> ks;  // numbers of clusters, ascending, each at least 1
  std::vector<RunKind> kinds = {RunKind::split,    RunKind::null_split, RunKind::shuffled_split,
                                RunKind::resample, RunKind::start,      RunKind::hold_out};
  int runs = 50;                                         // of each kind, for every k
  int hold_out_runs = std::numeric_limits<int>::max();   // at most, of those with hidden entries: they take longest
  int start_runs = std::numeric_limits<int>::max();      // at most, of starts
  int perturbed_runs = std::numeric_limits<int>::max();  // at most, of perturbed data
  std::uint64_t seed = 0;
  Index most_items = 10000;  // that are looked at; of more, a sample drawn by what they hold; 0: all
  Null null = Null::automatic;
  double resample_share = 0.8;  // of the items, as [Monti et al. 2003] and [Kuang 2014, section 4.5]
  double hidden_share = 0.05;   // of the entries, at most; less where fewer tell as much
  double perturbation = 0.015;  // of perturbed data: each entry times 1 + e, e uniform from minus this to this
  // max_iterations, tolerance, alpha, beta and affine of the fits that do not see all entries. They must come to rest:
  // a fit that has not yet found what it can looks as if the data needed more components.
  NmfOptions hold_out = {.max_iterations = 1000};
};

// Runs of one kind and number whose fits are made side by side have so many components in all, unless one alone has
// more.
inline constexpr Index components_at_once = 48;

// Of so many items.
inline Index items_looked_at(Index items, const SurveyOptions& options) {
  return options.most_items > 0 ? std::min(items, options.most_items) : items;
}

struct RunKey {
  RunKind kind = RunKind::split;
  Index k = 0;
  int number = 0;  // from 0
  friend auto operator<=>(const RunKey&, const RunKey&) = default;
};

inline constexpr std::size_t values_of_split = 6;

// What is kept of a run.
struct RunRecord {
  RunKey key;
  // split: prediction strength in both directions, recurrence in both, clusters that come back in both. start: relative
  // error, and separability where the method has coefficients. resample, perturbed: relative error. hold_out: error of
  // hidden and of seen entries. bi_cross: error. gap: J_k.
  std::vector<double> values = {};
  std::vector<std::int32_t> labels = {};  // resample and start: of the items that took part, by their places
  Matrix<float> components = {};          // resample and perturbed: a sketch of the components, unit rows
  double seconds = 0;
  std::string failure = {};  // why it failed; empty: it did not

  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

// Whether two halves foretell each other: of the data, or of data without clusters.
bool is_split(RunKind kind);

template <class T>
class Survey {
 public:
  using Take = std::function<void(RunRecord)>;

  // `method` must outlive it. Works on a copy of the items that are looked at, which stand by what they hold, so that
  // the order of the items changes no bit of any run: an item's place is its number there. Throws InvalidArgument for
  // options out of range.
  Survey(const Dataset<T>& data, const Clusterer<T>& method, SurveyOptions options);
  ~Survey();

  const SurveyOptions& options() const { return options_; }
  // The runs that are asked for, by number, kind and k, so that every k has about as many as another at any time. A k
  // that halves or parts of the items can't have is left out for that kind of run.
  std::vector<RunKey> plan() const;

  // More numbers of clusters, or runs: the plan is that of all.
  void look_at(std::span<const Index> more);
  void make_runs(int runs) { options_.runs = runs; }

  // Any run, at any time, in any order: its bits depend on the data, the options and the key. Several at once.
  RunRecord perform(const RunKey& key);

  // Performs the runs, by number, several kinds side by side, and hands out each as soon as it is there, one at a time.
  // Those of one kind and number share what does not depend on k. Throws Cancelled when it was stopped; what was handed
  // out counts.
  void perform(const std::vector<RunKey>& keys, const Take& take);

  // The number in the data of the item at each place.
  const std::vector<Index>& order() const { return order_; }
  // The places of the items of a resampled run, ascending.
  std::vector<Index> resampled_items(int number) const;
  // Those that are looked at.
  Index items() const { return data_.items(); }
  // The places of the items of which all pairs are counted: all, or a sample where that would be too many. Ascending.
  std::vector<Index> watched_items() const;

 private:
  struct Nulls;
  using Run = std::function<void(std::span<const FitRequest> requests, std::span<RunRecord> records)>;
  // Runs of one kind and number, of ks that rise.
  void perform(RunKind kind, int number, std::span<const Index> ks, const Take& take);
  // Makes what they share; a call of the result makes the runs, one for each request.
  Run runs_of(RunKind kind, int number, Index largest);
  Dataset<T> null_of(RunKind kind, int number);

  std::vector<Index> order_;
  Dataset<T> data_;
  const Clusterer<T>& method_;
  SurveyOptions options_;
  std::vector<std::uint64_t> keys_;
  std::unique_ptr<Nulls> null_;
};

// Mean entropy of the normalized rows of H', lower is better; an item without weights counts as log k
// [Kuang 2014, eq. 47, with its minus sign].
template <class T>
double separability(const Matrix<T>& h);

}  // namespace copse
