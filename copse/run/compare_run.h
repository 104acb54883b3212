// All methods on the same data: same preparation, same k, same number of runs, each run kept by its objective and never
// by labels that are known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/describe/comparison.h"
#include "copse/run/cluster_run.h"

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

// All that read items.
std::vector<std::string> compare_methods();
// What is compared where nobody says: all that read such data; without a time limit, all of them that end in reasonable
// time. Those that model counts are among them where the data are documents or prepared as text.
std::vector<std::string> suitable_methods(const InputOptions& input, bool has_time_limit);

// Reads and prepares the data, and runs the method of that name; where its estimate exceeds the time limit, it is left
// out. Throws InputError and InvalidArgument.
template <class T>
CompareOutcome compare_one(const CompareOptions& options, const std::string& name, Index k,
                           const RunEvents& events = {});

// The items, and the outcome of the labels of other programs, measured as all are.
template <class T>
CompareItems compare_items(const CompareOptions& options, std::vector<CompareOutcome>& given,
                           const RunEvents& events = {});

// Of the data, its preparation and all else that an outcome depends on but the method and the number of clusters.
std::string compare_key(const CompareOptions& options, Precision precision);

// A comparison without outcomes yet; `called` is what the data is called, empty: as its path.
Comparison begin_comparison(const CompareOptions& options, Precision precision, const std::string& called = {});

}  // namespace copse
