// A result as the page shows it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "copse/report/page.h"
#include "copse/result/topic_view.h"

namespace copse {

// `report` has its settings, seconds and measures.
Page page_of(const TopicView& view, const ModelItems& items, const RunReport& report);

// The steps that took place, and how long they took, in words.
std::vector<std::pair<std::string, std::string>> steps_of(const Seconds& seconds);

}  // namespace copse
