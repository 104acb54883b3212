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

// Of every kind of page: the title, or else the name of the data or the last part of its path, the line that made the
// result, and figures for the foot.
PageHead head_of(const RunReport& report, const std::string& title = "");

// The steps that took place, and how long they took, in words.
std::vector<std::pair<std::string, std::string>> steps_of(const Seconds& seconds);

}  // namespace copse
