// A comparison of methods as files: survey.tsv (the table), assignments.tsv (the labels of all), result.json, the page;
// and one outcome as a line of JSON, which a process hands to another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/base/stopwatch.h"
#include "copse/io/output_folder.h"
#include "copse/result/compare_run.h"

namespace copse {

struct Comparison {
  CompareOptions options;
  CompareItems items;
  std::vector<CompareOutcome> outcomes;
  std::vector<std::string> notes;
  int threads = 0;
  Precision precision = Precision::single;
  bool interrupted = false;
  Stopwatch clock = {};
};

// One line without its end. `key` stands for all that the outcome depends on.
std::string outcome_line(const CompareOutcome& outcome, const std::string& key);
// None for a line that is damaged, or of another key.
std::optional<CompareOutcome> outcome_in(const std::string& line, const std::string& key);
// Of the data, its preparation and all else but the methods and numbers of clusters.
std::string compare_key(const CompareOptions& options, Precision precision);

std::string compare_json(const Comparison& comparison);
std::string compare_tsv(const Comparison& comparison);

// Writes and commits; survey.runs, with the finished outcomes, is kept. Throws OutputError.
void write_result(OutputFolder& folder, const Comparison& comparison, bool page = true);

}  // namespace copse
