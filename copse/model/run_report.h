// What a run was asked for, what it found and what it took: the content of result.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "copse/base/stopwatch.h"
#include "copse/choose/answer.h"
#include "copse/choose/consensus_components.h"
#include "copse/measure/clustering.h"
#include "copse/model/graph_facts.h"
#include "copse/model/topic.h"
#include "copse/nmf/nmf.h"
#include "copse/options/settings.h"

namespace copse {

// How the number of clusters was found.
struct SurveyReport {
  std::string method;  // that was fitted
  SurveyTable table;
  Verdict verdict;
  Index planned = 0;                  // runs that were asked for
  Index done = 0;                     // of these
  Index items = 0;                    // that the runs looked at
  std::vector<std::string> failures;  // one sentence for each kind of failure
  ConsensusPicture consensus;         // of the k of the verdict
  std::vector<ClusterFlow> flows;     // from each k to the next
  Persistence persistence;            // of the clusters at the end
};

// The keys of result.json, under the same names.
struct RunReport {
  std::string kind;  // flat, tree, communities, community-tree or segments: what a method gives
  std::string command;
  std::string line;  // that made the result; empty: copse COMMAND DATA
  std::string version;
  Settings settings;
  std::uint64_t seed = 0;
  int threads = 0;
  std::string engine;  // where the entries were: "memory" or "disk"; empty: there was no choice
  Index k = 0;
  Index rows = 0;  // of the matrix that was factored
  Index cols = 0;
  Index nonzeros = 0;
  int iterations = 0;
  double relative_error = 0;
  double projected_gradient_ratio = 0;
  StopReason stop_reason = StopReason::max_iterations;
  std::vector<double> run_errors;      // of every start
  std::optional<double> objective;     // what the method makes small or large, where that is no error of factors
  std::vector<double> run_objectives;  // of every start, likewise
  int best_run = 0;
  Seconds seconds;
  Index estimated_memory_bytes = 0;  // what was announced; 0: nothing was, for data that lay in memory
  Index peak_memory_bytes = 0;
  std::optional<ClusteringMeasures> measures;       // of the topic of every item: the column `cluster`
  std::optional<ClusteringMeasures> leaf_measures;  // of a flattened tree: of the leaf where the splits put it
  double w_zero_share = 0;
  double h_zero_share = 0;
  Index items_without_cluster = 0;
  std::vector<Topic> topics;  // or leaves, or communities without the pieces
  std::vector<Iteration> history;
  std::vector<std::string> notes;
  std::optional<ConsensusOfRuns> consensus;  // where the clusters come from many runs
  std::optional<GraphFacts> graph;           // of the communities of a graph
  std::optional<SurveyReport> survey;        // where k was chosen by one
  std::string stored_survey;                 // of a stored result: the same as the JSON of its result.json, or empty
};

}  // namespace copse
