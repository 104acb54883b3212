// Runs that are not over keep what they have finished beside the result in its folder: factorizations of a tree
// (split_log_file), and runs of a survey. These logs (model/record_log.h) go with the next result that does not keep
// them.
#pragma once

#include <string_view>

namespace copse {

inline constexpr std::string_view run_log_file = ".partial-runs";
// The runs of a survey that is over: part of its result.
inline constexpr std::string_view survey_runs_file = "survey.runs";
// The table of a comparison of methods, and what is kept of every method that it finished.
inline constexpr std::string_view comparison_table_file = "comparison.tsv";
inline constexpr std::string_view comparison_runs_file = "comparison.runs";

bool is_log_file(std::string_view name);

}  // namespace copse
