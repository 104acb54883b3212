// A comparison of methods as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "copse/run/compare_run.h"

namespace copse {

// One row per method; columns that nobody filled are left out.
std::string comparison_table(const std::vector<CompareOutcome>& outcomes);
// The pair of methods that agrees least and the one that agrees most, by their NMI; or empty.
std::string agreement_line(const std::vector<CompareOutcome>& outcomes, const Matrix<double>& nmi);

}  // namespace copse
