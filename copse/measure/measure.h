// What the measures of clusters are called and mean, a row each: result.json, tree.json, comparison.tsv, `evaluate`,
// tables of the terminal and the page of a comparison walk them.
#pragma once

#include <string>
#include <vector>

#include "copse/measure/clustering.h"

namespace copse {

enum class Better { higher, lower, neither };

struct Measure {
  std::string name;     // in files and in Python
  std::string title;    // at the head of a column; empty: it has none
  std::string meaning;  // one line
  std::string needs;    // beside the labels: "classes", "items"; "runs" for several of them, "topics" for their words
  Better better = Better::higher;
  int digits = 3;                                   // behind the point, in a table
  double ClusteringMeasures::*agreement = nullptr;  // where compare_clusterings() finds it; null: another does
  bool compared = true;                             // comparison.tsv has it
};

const std::vector<Measure>& measures();
// Those of compare_clusterings().
const std::vector<Measure>& agreement_measures();

}  // namespace copse
