// A survey of numbers of clusters as text: survey.tsv, and its part of result.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "copse/model/run_report.h"

namespace copse {

// One line for every k, tab-separated with a header; empty cells for what was not measured.
std::string survey_tsv(const SurveyTable& table);

nlohmann::ordered_json json_of(const SurveyReport& survey);

// The JSON of the survey of this run, or of the stored result; empty: there is none.
std::string survey_text(const RunReport& report);

// Which clusters of this run, or of the stored result, are found again at which k; empty where no survey tells.
std::string persistence_sentence(const RunReport& report);

}  // namespace copse
