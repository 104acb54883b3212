// A result as the page shows it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "copse/describe/topic_view.h"
#include "copse/report/page.h"

namespace copse {

// `report` has its settings, seconds and measures.
Page page_of(const TopicView& view, const ModelItems& items, const RunReport& report);

// Of every kind of page: the name of the data or else the last part of its path, the line that made the result, and
// figures for the foot.
std::string title_of(const Settings& settings);
std::string line_of(const RunReport& report);
std::vector<std::pair<std::string, std::string>> facts_of(const RunReport& report);

// The steps that took place, and how long they took, in words.
std::vector<std::pair<std::string, std::string>> steps_of(const Seconds& seconds);

}  // namespace copse
