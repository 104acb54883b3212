// What several methods found in the same data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "copse/base/stopwatch.h"
#include "copse/matrix/dense.h"
#include "copse/measure/clustering.h"
#include "copse/measure/measure.h"
#include "copse/options/settings.h"

namespace copse {

// One method with one k.
struct CompareOutcome {
  std::string method;
  Index k = 0;
  std::string failure = {};  // a sentence; empty: there are labels
  bool left_out = false;     // it would not end in time; `estimate` tells
  double estimate = 0;       // seconds, from a sample of the items; 0: none was made
  bool given = false;        // labels from elsewhere
  Index clusters = 0;
  int runs = 0;        // that were made; one of a method without chance
  int iterations = 0;  // of the run that is kept
  double seconds = 0;  // of all runs, and of the graph that they read
  double objective = 0;
  Index peak_memory_bytes = 0;  // of its process, the data among it
  // Of all items of the file: -1 for those that preparation dropped, or that have no cluster.
  std::vector<Index> labels = {};
  std::vector<std::vector<std::string>> words = {};  // per cluster, best first; empty where features have no names
  std::optional<ClusteringMeasures> measures = {};   // of the run that is kept, where the truth is known
  std::optional<double> mean_accuracy = {}, mean_nmi = {};  // over the runs
  std::optional<double> coherence = {};                     // mean over the clusters, of sparse items
  std::optional<double> zero_share = {};                    // of H, of methods with soft weights
  std::optional<double> silhouette = {};                    // mean_silhouette() of all items
  std::optional<double> stability = {};                     // mean NMI of every pair of runs
};

// A measure of it; nothing where it was not taken, or is no number.
std::optional<double> value_of(const CompareOutcome& outcome, const Measure& measure);
// One that compare_clusterings() does not find, to be set; null: there is none of that name.
std::optional<double>* own_measure(CompareOutcome& outcome, const std::string& name);
const std::optional<double>* own_measure(const CompareOutcome& outcome, const std::string& name);

// What all methods share.
struct CompareItems {
  std::vector<std::string> names;    // of all items of the file
  std::vector<std::string> titles;   // or empty
  std::vector<std::string> classes;  // or empty
  std::vector<char> kept;            // by preparation: the items that measures count
};

// All of them, and how they came about.
struct Comparison {
  std::string command = "compare";
  std::string called = {};  // what the data is called
  Settings settings = {};
  std::uint64_t seed = 0;
  std::vector<Index> ks = {};
  CompareItems items = {};
  std::vector<CompareOutcome> outcomes = {};
  std::vector<std::string> notes = {};
  int threads = 0;
  bool interrupted = false;
  Stopwatch clock = {};
};

// NMI of every pair of outcomes over the items that were kept; 1 on the diagonal, and NaN for those without labels.
Matrix<double> agreement(const std::vector<CompareOutcome>& outcomes, const CompareItems& items);

}  // namespace copse
