// A survey of numbers of clusters as text for a terminal.
#pragma once

#include <string>

#include "copse/model/run_report.h"

namespace copse {

// One line for every k with the measures that were made, and a mark beside the chosen one.
std::string survey_table(const SurveyReport& survey);

}  // namespace copse
