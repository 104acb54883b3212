// result.json both ways: what a run was asked for, what it found and what it took.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "copse/model/run_report.h"

namespace copse {

// One object, indented, with a line end.
std::string to_json(const RunReport& report);
std::string to_json(const Settings& settings);
std::string to_json(const ClusteringMeasures& measures);

nlohmann::ordered_json json_of(const RunReport& report);
nlohmann::ordered_json json_of(const Settings& settings);
nlohmann::ordered_json json_of(const ClusteringMeasures& measures);
// Names may hold any bytes; those that are not UTF-8 become U+FFFD.
std::string indented(const nlohmann::ordered_json& json, int spaces = 2);

// What the report of a stored result needs. Topics and what is known of a graph come from the model.
RunReport report_in(const nlohmann::ordered_json& root);
ClusteringMeasures measures_in(const nlohmann::ordered_json& json);

}  // namespace copse
