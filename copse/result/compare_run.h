// All methods on the same data: same preparation, same k, same number of runs, each run kept by its objective and never
// by labels that are known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/measure/clustering.h"
#include "copse/result/cluster_run.h"

namespace copse {

// Of another program, one for each item of the file.
struct GivenLabels {
  std::string name;
  std::string file;
};

struct CompareOptions {
  std::string command = "compare";
  InputOptions input;
  std::vector<std::string> methods;  // names of compare_methods(); empty: those of suitable_methods()
  std::vector<Index> ks = {20};
  int runs = 5;                                                 // of each method, with seeds seed, seed + 1, ...
  double time_limit = std::numeric_limits<double>::infinity();  // seconds, of each method with each k
  std::vector<GivenLabels> labels;
  std::uint64_t seed = 0;
  double memory_limit = 0;
};

// nmf, tree, symnmf, and those of choices<ClusterMethod>().
std::vector<std::string> compare_methods();
// What is compared where nobody says: all that read such data; without a time limit, all of them that end in reasonable
// time. Those that model counts are among them where the data are documents or prepared as text.
std::vector<std::string> suitable_methods(const InputOptions& input, bool has_time_limit);

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

// What all methods share.
struct CompareItems {
  std::vector<std::string> names;    // of all items of the file
  std::vector<std::string> titles;   // or empty
  std::vector<std::string> classes;  // or empty
  std::vector<char> kept;            // by preparation: the items that measures count
};

// Reads and prepares the data, and runs one method; where its estimate exceeds the time limit, it is left out. Throws
// InputError and InvalidArgument.
template <class T>
CompareOutcome compare_one(const CompareOptions& options, const std::string& method, Index k,
                           const RunEvents& events = {});

// The items, and the outcome of the labels of other programs, measured as all are.
template <class T>
CompareItems compare_items(const CompareOptions& options, std::vector<CompareOutcome>& given,
                           const RunEvents& events = {});

// NMI of every pair of outcomes over the items that were kept; 1 on the diagonal, and NaN for those without labels.
Matrix<double> agreement(const std::vector<CompareOutcome>& outcomes, const CompareItems& items);

}  // namespace copse
