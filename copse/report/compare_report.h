// A comparison of methods as files: comparison.tsv (the table), assignments.tsv (the labels of all), result.json, the
// page; and one outcome as a line of JSON, which a process hands to another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "copse/describe/comparison.h"
#include "copse/io/output_folder.h"

namespace copse {

// One line without its end. `key` stands for all that the outcome depends on.
std::string outcome_line(const CompareOutcome& outcome, const std::string& key);
// None for a line that is damaged, or of another key.
std::optional<CompareOutcome> outcome_in(const std::string& line, const std::string& key);
std::string compare_json(const Comparison& comparison);
std::string compare_tsv(const Comparison& comparison);

// What a result.json of a comparison says of its methods, without their labels and words, and whether the folder holds
// one. Throws InputError for a damaged file.
struct StoredComparison {
  std::vector<CompareOutcome> outcomes;
  Matrix<double> agreement;
  std::string json;  // the whole file
};
bool holds_comparison(const std::string& folder);
StoredComparison read_comparison(const std::string& folder);

// Writes and commits; comparison.runs, with the finished outcomes, is kept. Throws OutputError.
void write_result(OutputFolder& folder, const Comparison& comparison, bool page = true);

}  // namespace copse
